import { Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { isName, readEnvelope } from '../envelope/read-envelope.ts'
import { type Arrival, decide } from './arrival.ts'

const FUTURE_MS = DAY_MS
const MAX_EVENT_ID = 200

export function checkEnvelope(arrivals: readonly Arrival[]): void {
  for (const arrival of arrivals) {
    const problem = problemWithHeaders(arrival) ?? readInto(arrival)
    if (problem !== undefined) decide(arrival, Verdict.MALFORMED, { problem })
  }
}

function problemWithHeaders({ posted: { contentTypes, partnerEventIds, webhookIds } }: Arrival): string | undefined {
  if (contentTypes.length !== 1 || !/^application\/json\s*(;|$)/i.test(contentTypes[0] ?? ''))
    return 'Content-Type must be application/json.'
  if (partnerEventIds.length > 1) return 'X-Pipe-Event-Id was sent more than once.'
  if (partnerEventIds.length === 1 && !isName(partnerEventIds[0], MAX_EVENT_ID))
    return `X-Pipe-Event-Id must have 1 to ${MAX_EVENT_ID} characters.`
  if (webhookIds.length === 1 && !isName(webhookIds[0], MAX_EVENT_ID))
    return `webhook-id must have 1 to ${MAX_EVENT_ID} characters.`
  return undefined
}

function readInto(arrival: Arrival): string | undefined {
  const { posted, receivedAt } = arrival
  const read = readEnvelope(posted.body)
  if ('problem' in read) return read.problem
  const { institutionId, occurredAt } = read.envelope
  if (occurredAt.getTime() > receivedAt.getTime() + FUTURE_MS) return 'occurred_at is more than 24 hours in the future.'
  if (institutionId !== posted.institutions[0]) return 'institution_id does not match the header X-Pipe-Institution.'
  arrival.envelope = read.envelope
  return undefined
}
