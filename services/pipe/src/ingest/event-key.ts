import { createHash } from 'node:crypto'
import type { Envelope } from '../envelope/read-envelope.ts'

export type EventKey = { _id: string; bodyKey?: string }

/** Keyed by its signed id, else by a header id and its bytes: a replay could change the unsigned `X-Pipe-Event-Id`. */
export function eventKey(
  { institutionId, partnerEventId }: Envelope,
  headerId: string | undefined,
  body: Uint8Array,
): EventKey {
  if (partnerEventId !== undefined) return { _id: `evt_${digest('id', institutionId, partnerEventId)}` }
  const bodyKey = digest('body', institutionId, body)
  return { _id: headerId === undefined ? `evt_${bodyKey}` : `evt_${digest('id', institutionId, headerId)}`, bodyKey }
}

function digest(kind: 'id' | 'body', institutionId: string, value: string | Uint8Array): string {
  const hash = createHash('sha256').update(JSON.stringify([kind, institutionId]))
  return hash.update(value).digest('hex').slice(0, 40)
}
