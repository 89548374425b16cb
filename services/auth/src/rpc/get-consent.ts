import type { GetConsentRequest, GetConsentResponse } from '@family-inbox/proto/auth/v1/auth'
import { findSessionCookie } from '@family-inbox/service-kit/http/session-cookie'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { requireRecent } from '@family-inbox/service-kit/rpc/recent-sign-in'
import type Provider from 'oidc-provider'
import type { Interaction } from 'oidc-provider'
import type { Context } from '../context.ts'
import { type HeldAccess, WRITE_SCOPE } from '../oauth/access-after.ts'
import { findInteraction, requireFreshSignIn } from '../oauth/find-interaction.ts'
import { requestedScopes } from '../scopes.ts'
import { type ActiveSession, requireSession, verifiedAtOf } from '../sign-in/active-session.ts'
import { toWireAccess } from '../wire.ts'

/**
 * Returns what a client requests. Its name is its own claim; the redirect host is verified. A new client, or one that asks for
 * more, needs a recent sign-in, and the answer checks it again.
 */
export function getConsent(ctx: Context, provider: Provider): Handler<GetConsentRequest, GetConsentResponse> {
  return async (request, call) => {
    requireService(call, 'site')
    const interaction = await findInteraction(ctx, provider, request.interactionId, request.cookie)
    const session = await requireSession(ctx, findSessionCookie(request.cookie, ctx.config.urls.inbox) ?? '')
    requireFreshSignIn(interaction, session)
    const { client_id: clientId, redirect_uri: redirectUri, scope } = interaction.params
    const [client, held] = await Promise.all([
      provider.Client.find(String(clientId)),
      findHeld(ctx, interaction, session),
    ])
    if (request.more || held === undefined || asksToReadMore(scope, held)) requireRecent(verifiedAtOf(session))
    return {
      clientName: client?.clientName ?? '',
      clientUri: client?.clientUri ?? '',
      redirectHost: hostOf(String(redirectUri)),
      scopes: requestedScopes(scope),
      ...(held && { access: toWireAccess(held.access) }),
    }
  }
}

/** In any workspace: which one is chosen on the page. */
async function findHeld(ctx: Context, { grantId }: Interaction, { personId }: ActiveSession) {
  if (grantId === undefined) return undefined
  const live = { _id: grantId, personId, revokedAt: null, expiresAt: { $gt: new Date() } }
  return (await ctx.grants.findOne(live, { access: 1, scopes: 1 }).lean()) ?? undefined
}

/** Ignores writing: it is chosen on the page, and may stay as it is. */
function asksToReadMore(scope: unknown, held: HeldAccess): boolean {
  return requestedScopes(scope).some(
    (requestedScope) => requestedScope !== WRITE_SCOPE && !held.scopes.includes(requestedScope),
  )
}

function hostOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  return /^https?:$/.test(protocol) ? host : protocol
}
