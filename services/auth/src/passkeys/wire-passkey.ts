import type { Passkey as WirePasskey } from '@family-inbox/proto/auth/v1/auth'
import type { Passkey } from '../models/passkey.ts'

/** What of a passkey its person sees. */
export const PASSKEY_FIELDS = { name: 1, createdAt: 1, lastUsedAt: 1, suspectedAt: 1 } as const

/** A passkey as its person sees it. */
export function toWirePasskey(passkey: Pick<Passkey, '_id' | keyof typeof PASSKEY_FIELDS>): WirePasskey {
  const { _id, name, createdAt, lastUsedAt, suspectedAt } = passkey
  return { id: _id, name, createdAt, lastUsedAt, suspectedAt }
}
