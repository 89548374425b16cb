import { describeError, type Logger } from '../observability/logger.ts'

/** The pause after a failure, and while what is due cannot be handled. */
const RETRY_MS = 2000
/** Between two rounds, however often it is woken. */
const GAP_MS = 100

export type Sweep = {
  /** The longest pause. Finds what another replica wrote and what a crash left, and follows a clock that was set. */
  pauseMs: number
  /** When the earliest work is due: an idle round costs this query and no more. Without it, every round sweeps. */
  dueAt?(): Promise<Date | undefined>
  /** @returns whether to sweep again without a pause */
  sweep(signal: AbortSignal): Promise<boolean>
  wake?: Wake
  failureMessage: string
  logger: Logger
}

/** Starts a round in this process. Call it after a write whose work must not wait for the pause to end. */
export type Wake = { (): void; listener?: () => void }

export function createWake(): Wake {
  const wake: Wake = () => wake.listener?.()
  return wake
}

/** A listener for each sweeper of this process. */
const listeners = new Set<() => void>()

/** Starts a round of every sweeper in this process: rows were written by hand. */
export function wakeAllSweepers(): void {
  for (const listener of listeners) listener()
}

/**
 * Runs a background task on every replica, so a sweep must claim its work or be idempotent. It looks for work at its start, when
 * it is woken, when the next work is due, and after the longest pause. Retries after errors.
 */
export function startSweeper({ pauseMs, dueAt, sweep, wake, failureMessage, logger }: Sweep): AsyncDisposable {
  const stop = new AbortController()
  const { signal } = stop
  let isWoken = false
  let endPause = () => {}

  async function run(): Promise<void> {
    while (!signal.aborted) {
      isWoken = false // first, because this round may miss what is written meanwhile
      const leftMs = await round()
      const ms = Math.min(leftMs ?? RETRY_MS, pauseMs)
      const gapMs = leftMs === undefined ? ms : Math.min(ms, GAP_MS)
      await pause(gapMs, false)
      if (ms > gapMs) await pause(ms - gapMs, true)
    }
  }

  /** @returns the milliseconds until something is due; undefined after a failure */
  async function round(): Promise<number | undefined> {
    try {
      const leftMs = await untilDue()
      if (leftMs > 0) return leftMs
      while ((await sweep(signal)) && !signal.aborted) {}
      if (dueAt === undefined) return pauseMs
      const nextMs = await untilDue()
      return nextMs > 0 ? nextMs : RETRY_MS
    } catch (error) {
      logger.warn(describeError(error), failureMessage)
      return undefined
    }
  }

  async function untilDue(): Promise<number> {
    if (dueAt === undefined) return 0
    const at = await dueAt()
    return at === undefined ? pauseMs : at.getTime() - Date.now()
  }

  function pause(ms: number, endsWhenWoken: boolean): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      endPause = () => {
        if (!signal.aborted && !(endsWhenWoken && isWoken)) return
        clearTimeout(timer)
        resolve()
      }
      endPause()
    })
  }

  const listener = () => {
    isWoken = true
    endPause()
  }
  listeners.add(listener)
  if (wake !== undefined) wake.listener = listener
  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      listeners.delete(listener)
      stop.abort()
      endPause()
      await running
    },
  }
}
