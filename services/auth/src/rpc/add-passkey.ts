import type { AddPasskeyRequest, AddPasskeyResponse } from '@family-inbox/proto/auth/v1/auth'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Context } from '../context.ts'
import { redeemCeremony } from '../passkeys/ceremony.ts'
import { notAccepted, readAttestation, relyingParty } from '../passkeys/verify-passkey.ts'
import { toWirePasskey } from '../wire.ts'

const MAX_PASSKEYS = 20

/** WebAuthn Level 3, section 7.1. */
export function addPasskey(ctx: Context): Handler<AddPasskeyRequest, AddPasskeyResponse> {
  return async (request, call) => {
    const { personId, credentialId: sessionId } = requirePrincipal(call)
    requireRecentSignIn(call)
    const name = requireLine('name', request.name, 80)
    const response = readAttestation(request.passkey?.response ?? '')
    await requireBelowLimit(ctx, personId)
    const challenge = await redeemCeremony(ctx, request.passkey?.ceremony ?? '', 'add', sessionId)
    const created = await verifyCreation(ctx, response, challenge)
    const passkey = { _id: newId('pky'), personId, name, ...created, createdAt: new Date() }
    try {
      await ctx.passkeys.insertOne(passkey)
    } catch (error) {
      if (isDuplicateKey(error)) throw notAccepted()
      throw error
    }
    return { passkey: toWirePasskey(passkey) }
  }
}

async function requireBelowLimit(ctx: Context, personId: string): Promise<void> {
  if ((await ctx.passkeys.countDocuments({ personId })) < MAX_PASSKEYS) return
  throw new StatusError('FAILED_PRECONDITION', `You have ${MAX_PASSKEYS} passkeys. Remove one you don’t use first.`, {
    field: 'name',
  })
}

async function verifyCreation(ctx: Context, response: RegistrationResponseJSON, challenge: string) {
  const { id, origin } = relyingParty(ctx.config)
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
    })
    if (verified) {
      const { id: credentialId, publicKey, counter } = registrationInfo.credential
      const transports = response.response.transports ?? []
      return { credentialId, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports }
    }
  } catch (error) {
    ctx.logger.info(describeError(error), 'a new passkey was not accepted')
  }
  throw notAccepted()
}
