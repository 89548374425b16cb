import { randomUUID } from 'node:crypto'
import { signedHeaders } from '@family-inbox/ops/events/send-event'
import type { PostedEvent } from '@family-inbox/proto/pipe/v1/pipe'

/** An envelope in wire format. */
export type Envelope = {
  institution_id: string
  subject_ref: string
  event_type: string
  occurred_at: string
  event_id?: string
  payload: object
}

/** An event about an agency's client, with a fresh id. */
export function eventAbout(institutionId: string, subjectRef: string, fields: Partial<Envelope> = {}): Envelope {
  return {
    institution_id: institutionId,
    subject_ref: subjectRef,
    event_type: 'note_added',
    occurred_at: new Date().toISOString(),
    event_id: randomUUID(),
    payload: { caregiver_id: 'c-17', note_text: 'A walk in the garden.' },
    ...fields,
  }
}

/** A signed event in the form the gateway passes to the pipe. */
export function postedEvent(event: Envelope, secret: string): PostedEvent {
  const body = JSON.stringify(event)
  const headers = signedHeaders(event.institution_id, secret, body)
  return {
    body: Buffer.from(body),
    institutions: [event.institution_id],
    signatures: [headers['X-Pipe-Signature']],
    timestamps: [headers['X-Pipe-Timestamp']],
    partnerEventIds: [],
    contentTypes: [headers['Content-Type']],
    webhookIds: [],
    webhookTimestamps: [],
    webhookSignatures: [],
  }
}
