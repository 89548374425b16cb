import type { DecideConsentRequest, DecideConsentResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type Provider from 'oidc-provider'
import type { Interaction } from 'oidc-provider'
import type { Context } from '../context.ts'
import { findInteraction, requireFreshSignIn, toEpochSec } from '../oauth/find-interaction.ts'
import { grantAccess } from '../oauth/grant-access.ts'
import { requestedScopes } from '../scopes.ts'
import { type ActiveSession, principalOf, requireSession } from '../sign-in/active-session.ts'

const DENIED = { error: 'access_denied', error_description: 'the person declined' }

export function decideConsent(ctx: Context, provider: Provider): Handler<DecideConsentRequest, DecideConsentResponse> {
  return async (request, call) => {
    const holder = requireService(call, 'site')
    const { interaction, finish } = await findInteraction(provider, request.interactionId, request.cookie)
    const session = await requireSession(ctx, request.session)
    requireFreshSignIn(interaction, session)
    if (!request.allow) return { redirectUrl: await finish(DENIED) }

    const requested = requestedScopes(interaction.params.scope)
    const granted = requested.filter((scope) => request.scopes.includes(scope))
    if (granted.length === 0) throw invalidArgument('scopes', 'Select at least one thing the app may do.')
    const principal = await principalOf(ctx, { ...session, workspaceId: request.workspaceId }, holder)
    const { workspaceId, since: memberSince } = await ctx.requireMember({ token: principal })
    const { personId } = session
    const grantId = await grantAccess(ctx, provider, interaction, {
      personId,
      workspaceId,
      memberSince,
      requested,
      granted,
    })
    await dropOtherSession(interaction, session)
    return { redirectUrl: await finish({ login: loginOf(session), consent: { grantId } }) }
  }
}

function loginOf({ personId, createdAt }: ActiveSession) {
  return { accountId: personId, ts: toEpochSec(createdAt), amr: ['otp'] }
}

/** Somebody else may have signed in since the authorization began. */
async function dropOtherSession(interaction: Interaction, { personId }: ActiveSession): Promise<void> {
  if (interaction.session === undefined || interaction.session.accountId === personId) return
  interaction.session = undefined
  await interaction.persist()
}
