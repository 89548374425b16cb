import { isIP } from 'node:net'
import type { PasskeyAnswer } from '@family-inbox/proto/auth/v1/auth'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server'
import { z } from 'zod'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { Passkey } from '../models/passkey.ts'
import { type Holder, type Purpose, redeemCeremony } from './ceremony.ts'

/**
 * Whose passkey answered a ceremony (WebAuthn Level 3, section 7.2), with user verification: the authenticator has checked a
 * fingerprint, a face or a PIN.
 * @param personId only this person's passkeys count, where somebody is signed in already
 * @throws StatusError INVALID_ARGUMENT when it is not accepted, FAILED_PRECONDITION when the ceremony is over
 */
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

/** A passkey that the browser found must say itself whose it is; one that was asked for by its id may leave it out. */
function isHolderOf({ personId }: Passkey, { response }: AuthenticationResponseJSON, purpose: Purpose): boolean {
  const { userHandle } = response
  if (userHandle === undefined) return purpose === 'confirm'
  return Buffer.from(userHandle, 'base64url').toString() === personId
}

/** @returns the signature counter */
async function verifySignature(
  ctx: Context,
  { credentialId, publicKey }: Passkey,
  response: AuthenticationResponseJSON,
  challenge: string,
): Promise<number> {
  const { id, origin } = relyingParty(ctx.config)
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      // The counter is compared below, where it is stored: of two answers at once the library would accept both.
      credential: { id: credentialId, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter: 0 },
    })
    if (verified) return authenticationInfo.newCounter
  } catch (error) {
    ctx.logger.info(describeError(error), 'a passkey was not accepted')
  }
  throw notAccepted()
}

/** A counter that does not move on is the sign of a copy (section 6.1.1): refused, and shown to its person. */
async function useCounter(ctx: Context, { _id }: Passkey, counter: number): Promise<void> {
  const isNext = counter === 0 ? { counter: 0 } : { counter: { $lt: counter } }
  const { matchedCount } = await ctx.passkeys.updateOne({ _id, ...isNext }, { counter, lastUsedAt: new Date() })
  if (matchedCount === 1) return
  const suspected = await ctx.passkeys.updateOne({ _id }, { suspectedAt: new Date() })
  if (suspected.matchedCount === 0) throw notAccepted()
  ctx.logger.warn({ passkeyId: _id }, 'a passkey was refused because its counter went backwards')
  throw new StatusError(
    'FAILED_PRECONDITION',
    'This passkey may have been copied, so we did not accept it. Use a code, then look at your passkeys in Settings.',
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

/**
 * What an authenticator signed, as the browser sent it.
 * @throws StatusError INVALID_ARGUMENT
 */
function readAssertion(json: string): AuthenticationResponseJSON {
  const { response, ...rest } = read(assertion, json)
  const { userHandle, ...signed } = response
  return { ...rest, response: { ...signed, ...(userHandle && { userHandle }) }, clientExtensionResults: {} }
}

/**
 * A credential an authenticator created, as the browser sent it.
 * @throws StatusError INVALID_ARGUMENT
 */
export function readAttestation(json: string): RegistrationResponseJSON {
  const { response, ...rest } = read(attestation, json)
  const { transports = [], ...created } = response
  const known = transports as NonNullable<RegistrationResponseJSON['response']['transports']>
  return { ...rest, response: { ...created, transports: known }, clientExtensionResults: {} }
}

/** The one answer to a passkey that was not accepted, whether it is unknown, removed, or signed something else. */
export function notAccepted(): StatusError {
  return invalidArgument('passkey', 'That passkey was not accepted. Try again, or use a code.')
}

function read<T>(schema: z.ZodType<T>, json: string): T {
  try {
    return schema.parse(JSON.parse(json))
  } catch {
    throw notAccepted()
  }
}

export const PRODUCT = 'Family Care Inbox'

/** Who passkeys are made for: the application's configured address, whatever a request calls us (WebAuthn section 5.1.2). */
export function relyingParty({ urls }: Pick<Config, 'urls'>): { id: string; origin: string } {
  const { hostname, origin } = new URL(urls.inbox)
  return { id: hostname, origin }
}

/** Whether browsers make passkeys for this address: only for a domain, and only over https or on one's own machine. */
export function hasPasskeys({ urls }: Pick<Config, 'urls'>): boolean {
  const { hostname, protocol } = new URL(urls.inbox)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  return isIP(hostname) === 0 && !hostname.startsWith('[') && (protocol === 'https:' || isLocal)
}
