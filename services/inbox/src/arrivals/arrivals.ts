import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import type { NatsConnection } from 'nats'

/** Whose inbox a message arrived in. */
export type Arrival = { workspaceId: string; lovedOneId: string }

export type Arrivals = AsyncDisposable & {
  /** Tells whoever watches the household, on any replica. Nothing is kept for those who do not watch now. */
  announce(arrival: Arrival): void
  /**
   * The loved ones whose mail arrives, one after another as it does, until the signal aborts; `undefined` at the beginning,
   * when it listens, and when nothing has arrived for a while.
   */
  watch(workspaceId: string, signal: AbortSignal): AsyncIterable<string | undefined>
}

/** Often enough that whoever is gone is noticed, and that nothing between takes the connection for dead. */
const SIGN_OF_LIFE_MS = 15_000

/**
 * Passes on that mail has arrived, by NATS without JetStream: an announcement that is lost costs nothing, since the next look
 * into the inbox finds the message.
 */
export function openArrivals(connection: Promise<NatsConnection>, logger: Logger): Arrivals {
  let nats: NatsConnection | undefined
  const connected = connection.then(
    (open) => {
      nats = open
      return open
    },
    () => undefined,
  )
  /** How to end each watch. */
  const watches = new Set<() => void>()
  let isClosed = false

  async function* watchUntil(ended: Promise<undefined>, subject: string): AsyncGenerator<string | undefined> {
    const open = await Promise.race([connected, ended])
    if (open === undefined) return
    const subscription = open.subscribe(subject)
    const arrivals = subscription[Symbol.asyncIterator]()
    let next = arrivals.next()
    try {
      // Once the server has heard of the subscription, nothing that arrives is missed.
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

/** A household's id is its own: nobody without it hears of its mail. */
function subjectOf(workspaceId: string): string {
  return `inbox.arrived.${workspaceId}`
}
