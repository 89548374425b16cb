import { timingSafeEqual } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Context } from '../context.ts'
import { hashSecret } from '../secret.ts'
import { recordAdapter, recordId } from './record-adapter.ts'

/** Days a client is kept without a grant, or after its last grant ended. */
const UNUSED_DAYS = 30
const DAY_SEC = 24 * 60 * 60

/** Stores registered clients, their secrets hashed. */
export function clientAdapter(ctx: Context): Adapter {
  const records = recordAdapter(ctx, 'Client')
  return {
    ...records,
    upsert: (id, payload) => records.upsert(id, withHashedSecret(payload), UNUSED_DAYS * DAY_SEC),
  }
}

/** Extends a client's life past the end of its grant. */
export async function extendClient(ctx: Context, clientId: string, grantExpiresAt: Date): Promise<void> {
  const expiresAt = new Date(grantExpiresAt.getTime() + UNUSED_DAYS * DAY_SEC * 1000)
  await ctx.oauthRecords.updateOne({ _id: recordId('Client', clientId) }, { $max: { expiresAt } })
}

/** Compares in constant time. */
export function isClientSecret(stored: string | undefined, secret: string): boolean {
  return stored !== undefined && timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(stored))
}

function withHashedSecret(payload: AdapterPayload): AdapterPayload {
  const { client_secret: secret } = payload
  return typeof secret === 'string' ? { ...payload, client_secret: hashSecret(secret) } : payload
}
