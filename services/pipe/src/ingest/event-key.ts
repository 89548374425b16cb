import { createHash } from 'node:crypto'
import type { Envelope } from '../envelope/read-envelope.ts'

export type EventKey = { _id: string; bodyKey?: string }

/**
 * Computes an event's keys from its signed id, else a header id, else its bytes, within its institution. A replay could
 * change `X-Pipe-Event-Id`, which is unsigned, or drop `webhook-id` with its signature, so an event without a signed id is
 * also keyed by its bytes.
 * @param headerId the value of `webhook-id`, else of `X-Pipe-Event-Id`
 */
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
