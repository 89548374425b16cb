import type { CareEvent } from '@family-inbox/care-circle/models/care-event'
import { newId } from '@family-inbox/service-kit/ids/ids'
import type { Workspace } from './workspace.ts'

const CHUNK = 5000
const MINUTE_MS = 60_000
/** One event in this many has another type. */
const RARE_EVERY = 1000

/**
 * Adds many copies of an event to a timeline, one minute apart, going back.
 * @param sample a row that care-circle wrote
 */
export async function fillTimeline({ collection }: Workspace, sample: CareEvent, count: number): Promise<void> {
  const events = collection<CareEvent>('careCircle', 'care_events')
  for (let from = 0; from < count; from += CHUNK) {
    const rows = Array.from({ length: Math.min(CHUNK, count - from) }, (_, index) => {
      const back = (from + index + 1) * MINUTE_MS
      const occurredAt = new Date(sample.occurredAt.getTime() - back)
      const receivedAt = new Date(sample.receivedAt.getTime() - back)
      const eventType = (from + index) % RARE_EVERY === 0 ? 'visit_started' : sample.eventType
      return { ...sample, _id: newId('evt'), eventType, occurredAt, receivedAt }
    })
    await events.insertMany(rows, { ordered: false, writeConcern: { w: 1 } })
  }
}
