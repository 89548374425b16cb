import type { FinishMailboxConsentRequest, FinishMailboxConsentResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { clientOf, openConsent, redirectUriOf, refusedConsent } from '../fetching/consent.ts'
import { mailboxNotFound } from '../fetching/mailbox-not-found.ts'
import { problemOf } from '../fetching/mailbox-problem.ts'
import { requireOwner } from '../fetching/require-owner.ts'
import { redeemCode } from '../fetching/tokens.ts'

/** Keeps the provider's refresh token, and fetches from now on. Owner only: the one who began. */
export function finishMailboxConsent(ctx: Context): Handler<FinishMailboxConsentRequest, FinishMailboxConsentResponse> {
  return async ({ state, code }, call) => {
    const { workspaceId, personId } = await requireOwner(ctx, call)
    const { mailboxId: _id, verifier, ...begun } = openConsent(ctx, state)
    if (begun.personId !== personId) throw refusedConsent()
    const mailbox = await ctx.mailboxes.findOne({ _id, workspaceId }, { oauthProvider: 1 }).lean()
    if (mailbox === null) throw mailboxNotFound()
    const refreshToken = await redeem(ctx, mailbox, code, verifier)
    const $set = { sealed: ctx.mailboxSecrets.seal(refreshToken, _id), dueAt: new Date(), failures: 0 }
    await ctx.mailboxes.updateOne({ _id, workspaceId }, { $set, $unset: { holder: 1, paused: 1, problem: 1 } })
    ctx.wake.mailboxes()
    return {}
  }
}

async function redeem(ctx: Context, mailbox: Parameters<typeof clientOf>[1], code: string, verifier: string) {
  const asked = { code, verifier, redirectUri: redirectUriOf(ctx) }
  const { refreshToken } = await redeemCode(clientOf(ctx, mailbox), asked).catch((error) => {
    if (problemOf(error) === 'consent') throw refusedConsent()
    ctx.logger.warn(describeError(error), 'a provider of mailboxes did not give access')
    throw new StatusError('UNAVAILABLE', 'The provider did not answer. Try again.')
  })
  if (refreshToken === undefined) throw refusedConsent()
  return refreshToken
}
