import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import type { NatsConnection } from 'nats'

type Arrival = { workspaceId: string; lovedOneId: string }

export type Arrivals = AsyncDisposable & {
  announce(arrival: Arrival): void
  /** Yields the loved one of each arrival; `undefined` once subscribed and after each quiet interval. */
  watch(workspaceId: string, signal: AbortSignal): AsyncIterable<string | undefined>
}

/** Frequent enough to notice lost watchers and to keep proxies from closing the connection. */
const SIGN_OF_LIFE_MS = 15_000

/** Announces new mail over core NATS. A lost announcement costs nothing: the next refresh finds the message. */
export function openArrivals(connection: Promise<NatsConnection>, logger: Logger): Arrivals {
  let nats: NatsConnection | undefined
  const connected = connection.then(
    (open) => {
      nats = open
      return open
    },
    () => undefined,
  )
  const watches = new Set<() => void>()
  let isClosed = false

  async function* watchUntil(ended: Promise<undefined>, subject: string): AsyncGenerator<string | undefined> {
    const open = await Promise.race([connected, ended])
    if (open === undefined) return
    const subscription = open.subscribe(subject)
    const arrivals = subscription[Symbol.asyncIterator]()
    let next = arrivals.next()
    try {
      // Nothing is missed once the server has confirmed the subscription.
      await Promise.race([open.flush(), ended])
      yield undefined
      for (;;) {
        const turn = await soonOr(next, ended)
        if (turn === 'quiet') yield undefined
        else if (turn === undefined || turn.done) return
        else {
          next = arrivals.next()
          yield turn.value.string()
        }
      }
    } finally {
      subscription.unsubscribe()
      next.catch(() => {})
    }
  }

  return {
    announce({ workspaceId, lovedOneId }) {
      try {
        nats?.publish(subjectOf(workspaceId), lovedOneId)
      } catch (error) {
        logger.warn(describeError(error), 'an arrival could not be announced')
      }
    },
    async *watch(workspaceId, signal) {
      const { promise: ended, resolve } = Promise.withResolvers<undefined>()
      const end = () => resolve(undefined)
      if (isClosed || signal.aborted) return
      watches.add(end)
      signal.addEventListener('abort', end)
      try {
        yield* watchUntil(ended, subjectOf(workspaceId))
      } finally {
        signal.removeEventListener('abort', end)
        watches.delete(end)
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      for (const end of watches) end()
    },
  }
}

async function soonOr<T>(next: Promise<T>, ended: Promise<undefined>): Promise<T | 'quiet' | undefined> {
  let timer: NodeJS.Timeout | undefined
  const quiet = new Promise<'quiet'>((resolve) => {
    timer = setTimeout(resolve, SIGN_OF_LIFE_MS, 'quiet')
  })
  try {
    return await Promise.race([next, ended, quiet])
  } finally {
    clearTimeout(timer)
  }
}

function subjectOf(workspaceId: string): string {
  return `inbox.arrived.${workspaceId}`
}
