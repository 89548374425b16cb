import { isIP } from 'node:net'
import type { PasskeyAnswer } from '@family-inbox/proto/auth/v1/auth'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { z } from 'zod'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { Passkey } from '../models/passkey.ts'
import { type Holder, type Purpose, redeemCeremony } from './ceremony.ts'

/** WebAuthn Level 3, section 7.2. @throws StatusError INVALID_ARGUMENT, or FAILED_PRECONDITION when the ceremony is over */
export async function verifyPasskey(
  ctx: Context,
  answer: PasskeyAnswer | undefined,
  expected: { purpose: Purpose; holder: Holder; personId?: string },
): Promise<Passkey> {
  const response = readAssertion(answer?.response ?? '')
  const { purpose, holder, personId } = expected
  const challenge = await redeemCeremony(ctx, answer?.ceremony ?? '', purpose, holder)
  const passkey = await ctx.passkeys.findOne({ credentialId: response.id, ...(personId && { personId }) }).lean()
  if (passkey === null || !isHolderOf(passkey, response, purpose)) throw notAccepted()
  await useCounter(ctx, passkey, await verifySignature(ctx, passkey, response, challenge))
  return passkey
}

/** A discoverable passkey must include the user handle; one requested by id may omit it. */
function isHolderOf({ personId }: Passkey, { response }: AuthenticationResponseJSON, purpose: Purpose): boolean {
  const { userHandle } = response
  if (userHandle === undefined) return purpose === 'confirm'
  return Buffer.from(userHandle, 'base64url').toString() === personId
}

async function verifySignature(
  ctx: Context,
  { credentialId, publicKey }: Passkey,
  response: AuthenticationResponseJSON,
  challenge: string,
): Promise<number> {
  const { id, origin } = relyingParty(ctx.config)
  // Loaded at first use: it takes 22 MB.
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      // 0 disables the library's check: it would accept two concurrent assertions. `useCounter` compares atomically.
      credential: { id: credentialId, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter: 0 },
    })
    if (verified) return authenticationInfo.newCounter
  } catch (error) {
    ctx.logger.info(describeError(error), 'a passkey was not accepted')
  }
  throw notAccepted()
}

/** Refuses a counter that does not increase, the sign of a copied passkey (section 6.1.1). */
async function useCounter(ctx: Context, { _id }: Passkey, counter: number): Promise<void> {
  const isNext = counter === 0 ? { counter: 0 } : { counter: { $lt: counter } }
  const { matchedCount } = await ctx.passkeys.updateOne({ _id, ...isNext }, { counter, lastUsedAt: new Date() })
  if (matchedCount === 1) return
  const suspected = await ctx.passkeys.updateOne({ _id }, { suspectedAt: new Date() })
  if (suspected.matchedCount === 0) throw notAccepted()
  ctx.logger.warn({ passkeyId: _id }, 'a passkey was refused because its counter went backwards')
  throw new StatusError(
    'FAILED_PRECONDITION',
    'This passkey may have been copied, so we didn’t accept it. Use a code, then check your passkeys in Settings.',
    { field: 'passkey' },
  )
}

const base64url = z.string().regex(/^[\w-]{1,20000}$/)
const credential = { id: base64url, rawId: base64url, type: z.literal('public-key') }

const assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullish(),
  }),
})

const attestation = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
})

function readAssertion(json: string): AuthenticationResponseJSON {
  const { response, ...rest } = read(assertion, json)
  const { userHandle, ...signed } = response
  return { ...rest, response: { ...signed, ...(userHandle && { userHandle }) }, clientExtensionResults: {} }
}

export function readAttestation(json: string): RegistrationResponseJSON {
  const { response, ...rest } = read(attestation, json)
  const { transports = [], ...created } = response
  const known = transports as NonNullable<RegistrationResponseJSON['response']['transports']>
  return { ...rest, response: { ...created, transports: known }, clientExtensionResults: {} }
}

/** The same error for unknown, removed and wrong passkeys. */
export function notAccepted(): StatusError {
  return invalidArgument('passkey', 'That passkey wasn’t accepted. Try again or use a code.')
}

function read<T>(schema: z.ZodType<T>, json: string): T {
  try {
    return schema.parse(JSON.parse(json))
  } catch {
    throw notAccepted()
  }
}

/** The relying party is the configured address, never the request's (WebAuthn section 5.1.2). */
export function relyingParty({ urls }: Pick<Config, 'urls'>): { id: string; origin: string } {
  const { hostname, origin } = new URL(urls.inbox)
  return { id: hostname, origin }
}

/** Browsers create passkeys only for a domain over https, or on localhost. */
export function hasPasskeys({ urls }: Pick<Config, 'urls'>): boolean {
  const { hostname, protocol } = new URL(urls.inbox)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  return isIP(hostname) === 0 && !hostname.startsWith('[') && (protocol === 'https:' || isLocal)
}
