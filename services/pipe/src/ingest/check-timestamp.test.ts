import { type PostedEvent, Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import test from 'ava'
import { type Arrival, arrivalOf } from './arrival.ts'
import { checkTimestamp } from './check-timestamp.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const FIVE_MINUTES_MS = 300_000

test('a request is recent for five minutes either way, to the millisecond', (t) => {
  const offsets = [-FIVE_MINUTES_MS - 1, -FIVE_MINUTES_MS, FIVE_MINUTES_MS, FIVE_MINUTES_MS + 1]
  t.deepEqual(
    offsets.map((offset) => isRecent({ timestamps: [new Date(NOW.getTime() + offset).toISOString()] })),
    [false, true, true, false],
  )
})

test('a signed time is recent for five minutes either way, to the second', (t) => {
  const offsets = [-301, -300, 300, 301]
  t.deepEqual(
    offsets.map((offset) => isRecent({ webhookTimestamps: [`${NOW.getTime() / 1000 + offset}`] })),
    [false, true, true, false],
  )
})

function isRecent(headers: Partial<PostedEvent>): boolean {
  const nothing = { institutions: [], signatures: [], partnerEventIds: [], webhookIds: [], webhookSignatures: [] }
  const timestamps = [NOW.toISOString()]
  const posted = { body: new Uint8Array(), timestamps, webhookTimestamps: [], ...nothing, ...headers }
  const arrival: Arrival = arrivalOf(posted as PostedEvent, NOW)
  checkTimestamp([arrival])
  return arrival.decision?.verdict !== Verdict.STALE
}
