import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import type { eventModel } from './event.ts'

/** Far shorter than the sweeper's delay, long enough to batch. */
const FLUSH_MS = 250
const MAX_BATCH = 1000

/** In the background. Never throws. */
export type MarkPublished = AsyncDisposable & { mark(eventIds: Iterable<string>): void }

/** Batched and unjournaled: a lost mark costs one more publish, which the stream deduplicates by id. */
export function createMarkPublished(events: ReturnType<typeof eventModel>, logger: Logger): MarkPublished {
  let waiting: string[] = []
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    timer = undefined
    const ids = waiting
    waiting = []
    for (let at = 0; at < ids.length; at += MAX_BATCH) {
      const some = { _id: { $in: ids.slice(at, at + MAX_BATCH) as never[] } }
      const isPublished = { $unset: { unpublishedSince: 1 as const } }
      await events.collection
        .updateMany(some, isPublished, { writeConcern: { w: 1 } })
        .catch((error) => logger.warn(describeError(error), 'marking published events left to the sweeper'))
    }
  }

  return {
    mark(eventIds) {
      waiting.push(...eventIds)
      timer ??= setTimeout(flush, FLUSH_MS)
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      await flush()
    },
  }
}
