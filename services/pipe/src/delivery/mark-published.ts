import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import type { eventModel } from '../models/event.ts'

/** Notes that events are in the stream. Nobody waits for it, and it never throws. */
export type MarkPublished = AsyncDisposable & { mark(eventIds: Iterable<string>): void }

/** Far shorter than the sweeper's patience, and long enough to note many events at once. */
const EVERY_MS = 250
const MOST_AT_ONCE = 1000

/**
 * Makes what notes, for many events at once and not journaled, that they are in the stream. A note that is lost costs one more
 * publish of an event that is known by its id.
 */
export function createMarkPublished(events: ReturnType<typeof eventModel>, logger: Logger): MarkPublished {
  let waiting: string[] = []
  let timer: NodeJS.Timeout | undefined

  async function note(): Promise<void> {
    timer = undefined
    const ids = waiting
    waiting = []
    for (let at = 0; at < ids.length; at += MOST_AT_ONCE) {
      const some = { _id: { $in: ids.slice(at, at + MOST_AT_ONCE) as never[] } }
      const isPublished = { $unset: { unpublishedSince: 1 as const } }
      await events.collection
        .updateMany(some, isPublished, { writeConcern: { w: 1 } })
        .catch((error) => logger.warn(describeError(error), 'published events are left to the sweeper'))
    }
  }

  return {
    mark(eventIds) {
      waiting.push(...eventIds)
      timer ??= setTimeout(note, EVERY_MS)
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      await note()
    },
  }
}
