/** Decides whether one more call is taken on; a call that is counts until its answer is sent, or nobody waits for it. */
export type Admission = (res: { once(event: 'close', listener: () => void): unknown }) => boolean

/** So many calls at once are always taken on, however long answers take. */
const FEW = 8
/** And never more: what they hold in memory is bounded, 256 KB of body each at worst. */
const MANY = 512
/** While answers take this long on average, half of what they may, one more call would only wait in line and then be late. */
const SLOW_MS = 1000
/** What took this long was most likely only told that it takes too long. */
const TOO_LATE_MS = 1700
/** How much one more answer counts for the average. */
const WEIGHT = 1 / 32

/**
 * Sheds load. While answers are slow no more calls are under way than were answered in time in a second, so that each is
 * answered in about one (Little's law); all others are refused at once, which costs next to nothing. There is nothing to set.
 */
export function createAdmission(now: () => number = () => performance.now()): Admission {
  let underWay = 0
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

  return (res) => {
    if (underWay === 0) averageMs = 0 // nobody is in line, whatever was before
    const most = averageMs > SLOW_MS ? Math.max(FEW, answersInASecond()) : MANY
    if (underWay >= most) return false
    const startedAt = now()
    underWay++
    res.once('close', () => {
      underWay--
      const tookMs = now() - startedAt
      averageMs += (tookMs - averageMs) * WEIGHT
      answersInASecond()
      if (tookMs < TOO_LATE_MS) lately.answers++
    })
    return true
  }
}
