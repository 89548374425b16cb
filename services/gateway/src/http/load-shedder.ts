type Closing = { once(event: 'close', listener: () => void): unknown }

/** Decides whether to admit a call. An admitted call counts until its response closes. */
export type LoadShedder = { admits(res: Closing): boolean }

const MIN_LIMIT = 8
const INITIAL_LIMIT = 256
/** Bounds memory: each call may hold a 256 KB body. */
const MAX_LIMIT = 512
/** Above this average, about half of the time limit, one more call would only queue and time out. */
const SLOW_MS = 1000
/** The target time when answers are slow: a late answer costs as much as a good one. */
const TARGET_MS = 900
/** A call this slow most likely timed out. */
const TIMED_OUT_MS = 1700
const AVERAGE_WEIGHT = 1 / 32
const GROWTH_PER_ANSWER = 1 / 8

/** Sheds load: while answers are slow, the limit is what can be answered in time (Little’s law). */
export function createLoadShedder(now: () => number = () => performance.now()): LoadShedder {
  let inFlight = 0
  let limit = INITIAL_LIMIT
  let averageMs = 0
  const recent = { second: 0, answers: 0, answersBefore: 0 }

  function answersPerSecond(): number {
    const second = Math.floor(now() / 1000)
    if (second !== recent.second) {
      recent.answersBefore = second === recent.second + 1 ? recent.answers : 0
      recent.answers = 0
      recent.second = second
    }
    return Math.max(recent.answers, recent.answersBefore)
  }

  function recordAnswer(tookMs: number): void {
    averageMs += (tookMs - averageMs) * AVERAGE_WEIGHT
    const perSecond = answersPerSecond()
    if (tookMs < TIMED_OUT_MS) recent.answers++
    limit = averageMs > SLOW_MS ? Math.max(MIN_LIMIT, (perSecond * TARGET_MS) / 1000) : limit + GROWTH_PER_ANSWER
    limit = Math.min(MAX_LIMIT, limit)
  }

  function admits(res: Closing): boolean {
    if (inFlight === 0) {
      averageMs = 0
      limit = Math.max(INITIAL_LIMIT, limit)
    }
    if (inFlight >= limit) return false
    const startedAt = now()
    inFlight++
    res.once('close', () => {
      inFlight--
      recordAnswer(now() - startedAt)
    })
    return true
  }
  return { admits }
}
