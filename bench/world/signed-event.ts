import { createHmac, randomUUID } from 'node:crypto'
import type { Agency } from './agencies.ts'

/** Headers and body of an event, as an agency signs and posts it. */
export function signedEvent({ institutionId, subjectRef, secret }: Agency, eventType = 'vital_recorded') {
  const now = new Date().toISOString()
  const body = JSON.stringify({
    institution_id: institutionId,
    subject_ref: subjectRef,
    event_type: eventType,
    occurred_at: now,
    event_id: randomUUID(),
    payload: { vital_type: 'heart_rate', value: 72, unit: 'bpm', recorded_by: 'c-17' },
  })
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'x-pipe-institution': institutionId,
    'x-pipe-timestamp': now,
    'x-pipe-signature': `sha256=${signature}`,
  }
  return { headers, body }
}
