import { createBatcher } from '@family-inbox/service-kit/batch'
import { describeError, type Logger } from '@family-inbox/service-kit/logger'
import type { eventModel } from '../models/event.ts'

/** Notes that an event is in the stream. Nobody waits for it, and never throws. */
export type MarkPublished = (eventId: string) => void

const MOST_AT_ONCE = 1000

/**
 * Makes what notes, for many events at once and not journaled, that they are in the stream. A note that is lost costs one more
 * publish of an event that is known by its id.
 */
export function createMarkPublished(events: ReturnType<typeof eventModel>, logger: Logger): MarkPublished {
  const mark = createBatcher(async (ids: string[]) => {
    await events.collection.updateMany(
      { _id: { $in: ids as never[] } },
      { $unset: { unpublishedSince: 1 } },
      { writeConcern: { w: 1 } },
    )
    return ids
  }, MOST_AT_ONCE)
  return (eventId) => {
    mark(eventId).catch((error) => logger.warn(describeError(error), 'published events are left to the sweeper'))
  }
}
