import type { GetConsentRequest, GetConsentResponse } from '@family-inbox/proto/auth/v1/auth'
import { findSessionCookie } from '@family-inbox/service-kit/http/session-cookie'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type Provider from 'oidc-provider'
import type { Context } from '../context.ts'
import { findInteraction, requireFreshSignIn } from '../oauth/find-interaction.ts'
import { requestedScopes } from '../scopes.ts'
import { requireSession } from '../sign-in/active-session.ts'
import { toWireAccess } from '../wire.ts'

/** Returns what a client requests. Its name is its own claim; the redirect host is verified. */
export function getConsent(ctx: Context, provider: Provider): Handler<GetConsentRequest, GetConsentResponse> {
  return async (request, call) => {
    requireService(call, 'site')
    const interaction = await findInteraction(ctx, provider, request.interactionId, request.cookie)
    const session = findSessionCookie(request.cookie, ctx.config.urls.inbox) ?? ''
    requireFreshSignIn(interaction, await requireSession(ctx, session))
    const { client_id: clientId, redirect_uri: redirectUri, scope } = interaction.params
    const [client, held] = await Promise.all([
      provider.Client.find(String(clientId)),
      ctx.grants.findOne({ _id: interaction.grantId ?? '', revokedAt: null }, { access: 1 }).lean(),
    ])
    return {
      clientName: client?.clientName ?? '',
      clientUri: client?.clientUri ?? '',
      redirectHost: hostOf(String(redirectUri)),
      scopes: requestedScopes(scope),
      ...(held && { access: toWireAccess(held.access) }),
    }
  }
}

function hostOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  return /^https?:$/.test(protocol) ? host : protocol
}
