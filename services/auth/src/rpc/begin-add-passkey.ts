import type { BeginAddPasskeyRequest, BeginAddPasskeyResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { PRODUCT } from '@family-inbox/workspace-kit/product'
import type { Context } from '../context.ts'
import { beginCeremony, CEREMONY_LIFETIME_MS } from '../passkeys/ceremony.ts'
import { hasPasskeys, relyingParty } from '../passkeys/verify-passkey.ts'
import { signInFirst } from '../sign-in/active-session.ts'

export function beginAddPasskey(ctx: Context): Handler<BeginAddPasskeyRequest, BeginAddPasskeyResponse> {
  return async (_request, call) => {
    const { personId, credentialId: sessionId } = requirePrincipal(call)
    requireRecentSignIn(call)
    if (!hasPasskeys(ctx.config))
      throw new StatusError('FAILED_PRECONDITION', 'Passkeys need an https address.', { field: 'passkey' })
    const person = await ctx.people.findById(personId, { email: 1, name: 1 }).lean()
    if (person === null) throw signInFirst()
    const known = await ctx.passkeys.find({ personId }, { credentialId: 1 }).lean()
    const { challenge, ceremony } = beginCeremony(ctx, 'add', sessionId)
    const { generateRegistrationOptions } = await import('@simplewebauthn/server')
    const options = await generateRegistrationOptions({
      rpName: PRODUCT,
      rpID: relyingParty(ctx.config).id,
      userID: new Uint8Array(Buffer.from(personId)),
      userName: person.email,
      userDisplayName: person.name || person.email,
      challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
      timeout: CEREMONY_LIFETIME_MS,
      attestationType: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
    })
    return { ceremony, options: JSON.stringify(options) }
  }
}
