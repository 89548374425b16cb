import type { NatsConnection } from '@family-inbox/service-kit/nats/client'
import { onBreaks } from '@family-inbox/service-kit/nats/nats'
import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import { type RecentUpdates, rememberUpdates } from './recent-updates.ts'

/** New mail for a loved one, or, with a writer, a member who is writing a reply. */
export type LiveUpdate = { lovedOneId: string; writing?: { messageId: string; personId: string } }

export type LiveUpdates = AsyncDisposable & {
  announce(workspaceId: string, update: LiveUpdate): void
  /** Before a list is read. */
  now(): string | undefined
  /** Whether a list of this family is up to date. Nothing is missed between this and a watch that has yielded before it. */
  isUnchanged(workspaceId: string, asOf: string): boolean
  /** Yields `undefined` once subscribed and after each quiet interval. */
  watch(workspaceId: string, signal: AbortSignal): AsyncIterable<LiveUpdate | undefined>
}

/** Frequent enough to notice lost watchers and to keep proxies from closing the connection. */
const SIGN_OF_LIFE_MS = 15_000

/** Announces over core NATS. A lost announcement costs nothing: the next refresh finds the message. */
export function openLiveUpdates(connection: Promise<NatsConnection>, logger: Logger): LiveUpdates {
  let nats: NatsConnection | undefined
  const connected = connection.then(
    (open) => {
      nats = open
      return open
    },
    () => undefined,
  )
  let recent: RecentUpdates | undefined
  void connection
    .then((open) => hearAll(open, logger))
    .then(
      (heard) => {
        recent = heard
      },
      () => {},
    )
  const watches = new Set<() => void>()
  let isClosed = false

  async function* watchUntil(ended: Promise<undefined>, subject: string): AsyncGenerator<LiveUpdate | undefined> {
    const open = await Promise.race([connected, ended])
    if (open === undefined) return
    const subscription = open.subscribe(subject)
    const updates = subscription[Symbol.asyncIterator]()
    let next = updates.next()
    try {
      // Nothing is missed once the server has confirmed the subscription.
      await Promise.race([open.flush(), ended])
      yield undefined
      for (;;) {
        const update = await nextOrQuiet(next, ended)
        if (update === 'quiet') yield undefined
        else if (update === undefined || update.done) return
        else {
          next = updates.next()
          yield update.value.json<LiveUpdate>()
        }
      }
    } finally {
      subscription.unsubscribe()
      next.catch(() => {})
    }
  }

  return {
    announce(workspaceId, update) {
      try {
        nats?.publish(subjectOf(workspaceId), JSON.stringify(update))
      } catch (error) {
        logger.warn(describeError(error), 'a live update could not be announced')
      }
    },
    now: () => recent?.now(),
    isUnchanged: (workspaceId, asOf) => recent?.isUnchanged(workspaceId, asOf) ?? false,
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

/** @returns once it hears the updates of every family */
async function hearAll(nats: NatsConnection, logger: Logger): Promise<RecentUpdates> {
  const recent = rememberUpdates()
  nats.subscribe(subjectOf('*'), {
    callback: (_error, { subject }) => recent.heard(subject.slice(subjectOf('').length)),
  })
  void onBreaks(nats, logger, recent.mayHaveMissed)
  await nats.flush()
  return recent
}

async function nextOrQuiet<T>(next: Promise<T>, ended: Promise<undefined>): Promise<T | 'quiet' | undefined> {
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
  return `inbox.live.${workspaceId}`
}
