import type { PasskeyAnswer } from '@family-inbox/proto/auth/v1/auth'
import { describeError } from '@family-inbox/service-kit/logger'
import { StatusError } from '@family-inbox/service-kit/status-error'
import { type AuthenticationResponseJSON, verifyAuthenticationResponse } from '@simplewebauthn/server'
import type { Context } from '../context.ts'
import type { Passkey } from '../models/passkey.ts'
import { type Holder, type Purpose, redeemCeremony } from './ceremony.ts'
import { notAccepted, readAssertion } from './read-answer.ts'
import { relyingParty } from './relying-party.ts'

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
