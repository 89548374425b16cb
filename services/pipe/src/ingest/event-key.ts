import { createHash } from 'node:crypto'
import type { Envelope } from '../envelope/read-envelope.ts'

/** What an event is recognised by for good. */
export type EventKey = { _id: string; bodyKey?: string }

/**
 * The keys of an event: its own id in the envelope, else in a header, else its bytes; each within its institution. Whoever
 * replays a request could change `X-Pipe-Event-Id`, which is not signed, or leave out `webhook-id` with its signature. So an
 * event whose id is not in the body is recognised by its bytes as well.
 * @param headerId the value of `webhook-id`, else of `X-Pipe-Event-Id`, if one was sent
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

/** 40 hex digits of SHA-256: 160 bits. */
function digest(kind: 'id' | 'body', institutionId: string, value: string | Uint8Array): string {
  const hash = createHash('sha256').update(JSON.stringify([kind, institutionId]))
  return hash.update(value).digest('hex').slice(0, 40)
}
