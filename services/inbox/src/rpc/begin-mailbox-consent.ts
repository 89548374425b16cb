import type { BeginMailboxConsentRequest, BeginMailboxConsentResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { generateRandomCodeVerifier } from 'oauth4webapi'
import type { Context } from '../context.ts'
import { clientOf, redirectUriOf, sealConsent } from '../fetching/consent.ts'
import { mailboxNotFound } from '../fetching/mailbox-not-found.ts'
import { requireOwner } from '../fetching/require-owner.ts'
import { authorizationUrl } from '../fetching/tokens.ts'

/** Stores nothing: what the answer must match is sealed in the state. Owner only. */
export function beginMailboxConsent(ctx: Context): Handler<BeginMailboxConsentRequest, BeginMailboxConsentResponse> {
  return async ({ mailboxId: _id }, call) => {
    const { workspaceId, personId } = await requireOwner(ctx, call)
    const mailbox = await ctx.mailboxes.findOne({ _id, workspaceId }, { server: 1, oauthProvider: 1 }).lean()
    if (mailbox === null) throw mailboxNotFound()
    const { oauthProvider = '', server } = mailbox
    const verifier = generateRandomCodeVerifier()
    const url = await authorizationUrl(clientOf(ctx, mailbox), {
      state: sealConsent(ctx, { mailboxId: _id, personId, verifier }),
      verifier,
      redirectUri: redirectUriOf(ctx),
      userName: server.userName,
    })
    return { authorizationUrl: url, oauthProvider, userName: server.userName }
  }
}
