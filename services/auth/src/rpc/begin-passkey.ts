import type { BeginPasskeyRequest, BeginPasskeyResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { beginCeremony, CEREMONY_LIFETIME_MS } from '../passkeys/ceremony.ts'
import { hasPasskeys, relyingParty } from '../passkeys/verify-passkey.ts'
import { requireSession } from '../sign-in/active-session.ts'

const BROWSER_SECRET = /^[\w-]{43}$/

/** A sign-in lists no passkeys, so that it does not reveal which addresses have any. */
export function beginPasskey(ctx: Context): Handler<BeginPasskeyRequest, BeginPasskeyResponse> {
  return async (request, call) => {
    requireService(call, 'site')
    if (!hasPasskeys(ctx.config)) return { ceremony: '', options: '' }
    if (request.session === '') {
      if (!BROWSER_SECRET.test(request.browser))
        throw invalidArgument('browser', 'browser must be 43 base64url characters.')
      const { challenge, ceremony } = beginCeremony(ctx, 'sign-in', request.browser)
      return { ceremony, options: await optionsFor(ctx, challenge, []) }
    }
    const { _id, personId } = await requireSession(ctx, request.session)
    const passkeys = await ctx.passkeys.find({ personId }, { credentialId: 1, transports: 1 }).lean()
    if (passkeys.length === 0) return { ceremony: '', options: '' }
    const { challenge, ceremony } = beginCeremony(ctx, 'confirm', _id)
    const own = passkeys.map(({ credentialId, transports }) => ({ id: credentialId, transports: transports as [] }))
    return { ceremony, options: await optionsFor(ctx, challenge, own) }
  }
}

async function optionsFor(
  { config }: Context,
  challenge: string,
  allowCredentials: { id: string; transports: [] }[],
): Promise<string> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(config).id,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    userVerification: 'required',
    timeout: CEREMONY_LIFETIME_MS,
    allowCredentials,
  })
  return JSON.stringify(options)
}
