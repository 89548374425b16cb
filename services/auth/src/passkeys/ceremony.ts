import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { hashSecret } from '../secret.ts'

export type Purpose = 'sign-in' | 'confirm' | 'add'

/** The secret of the browser signing in, or the id of the session. */
export type Holder = string

export const CEREMONY_LIFETIME_MS = 5 * 60_000

const schema = z.object({ purpose: z.string(), challenge: z.string(), expiresAt: z.number() })

/** Stores nothing, so that starting many fills no collection. Only the holder can redeem the sealed ceremony. */
export function beginCeremony({ config }: Context, purpose: Purpose, holder: Holder) {
  const challenge = randomBytes(32).toString('base64url')
  const content = JSON.stringify({ purpose, challenge, expiresAt: Date.now() + CEREMONY_LIFETIME_MS })
  const payload = Buffer.from(content).toString('base64url')
  return { challenge, ceremony: `${payload}.${seal(config.ceremonyKey, payload, holder).toString('base64url')}` }
}

/** Works once, on any replica. @throws StatusError FAILED_PRECONDITION when it is over or has another holder */
export async function redeemCeremony(
  ctx: Context,
  ceremony: string,
  purpose: Purpose,
  holder: Holder,
): Promise<string> {
  const content = open(ctx.config.ceremonyKey, ceremony, holder)
  if (content?.purpose !== purpose || content.expiresAt <= Date.now()) throw ceremonyOver()
  try {
    const expiresAt = new Date(content.expiresAt)
    await ctx.usedCeremonies.insertOne({ _id: hashSecret(content.challenge), expiresAt })
  } catch (error) {
    if (isDuplicateKey(error)) throw ceremonyOver()
    throw error
  }
  return content.challenge
}

function open(key: KeyObject, ceremony: string, holder: Holder): z.infer<typeof schema> | undefined {
  const [payload = '', mac = ''] = ceremony.split('.')
  const [expected, given] = [seal(key, payload, holder), Buffer.from(mac, 'base64url')]
  if (holder === '' || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  return schema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()))
}

function seal(key: KeyObject, payload: string, holder: Holder): Buffer {
  return createHmac('sha256', key).update(`${payload}\n${holder}`).digest()
}

function ceremonyOver(): StatusError {
  return new StatusError('FAILED_PRECONDITION', 'That took too long or was already used. Try again.', {
    field: 'passkey',
  })
}
