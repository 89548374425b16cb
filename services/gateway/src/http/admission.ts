/** Decides whether one more call is taken on; a call that is counts until its answer is sent, or nobody waits for it. */
export type Admission = (res: { once(event: 'close', listener: () => void): unknown }) => boolean

/** So many calls at once are always taken on, however long answers take. */
const FEW = 8
/** So many at once from somebody who asks after a silence. */
const AT_FIRST = 256
/** And never more: what they hold in memory is bounded, 256 KB of body each at worst. */
const MANY = 512
/** While answers take this long on average, half of what they may, one more call would only wait in line and then be late. */
const SLOW_MS = 1000
/** How long they are to take then: an answer that comes too late has cost as much as a good one. */
const AIM_MS = 900
/** What took this long was most likely only told that it takes too long. */
const TOO_LATE_MS = 1700
/** How much one more answer counts for the average. */
const WEIGHT = 1 / 32
/** How many more calls may be under way with each answer that is not slow. */
const GROWTH = 1 / 8

/**
 * Sheds load. When answers are slow no more calls may be under way than are answered in time while one is to take (Little's
 * law); as long as they are not, a few more with each answer. All others are refused at once, which costs next to nothing.
 * There is nothing to set.
 */
export function createAdmission(now: () => number = () => performance.now()): Admission {
  let underWay = 0
  let most = AT_FIRST
  let averageMs = 0
  const lately = { second: 0, answers: 0, answersBefore: 0 }

  /** How many calls are answered in time in a second, as far as this second and the last one tell. */
  function answersInASecond(): number {
    const second = Math.floor(now() / 1000)
    if (second !== lately.second) {
      lately.answersBefore = second === lately.second + 1 ? lately.answers : 0
      lately.answers = 0
      lately.second = second
    }
    return Math.max(lately.answers, lately.answersBefore)
  }

  function settle(tookMs: number): void {
    averageMs += (tookMs - averageMs) * WEIGHT
    const perSecond = answersInASecond()
    if (tookMs < TOO_LATE_MS) lately.answers++
    most = averageMs > SLOW_MS ? Math.max(FEW, (perSecond * AIM_MS) / 1000) : most + GROWTH
    most = Math.min(MANY, most)
  }

  return (res) => {
    if (underWay === 0) {
      // Nobody is in line, whatever was before.
      averageMs = 0
      most = Math.max(AT_FIRST, most)
    }
    if (underWay >= most) return false
    const startedAt = now()
    underWay++
    res.once('close', () => {
      underWay--
      settle(now() - startedAt)
    })
    return true
  }
}
