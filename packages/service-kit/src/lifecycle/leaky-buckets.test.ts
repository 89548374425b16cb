import test from 'ava'
import { createLeakyBuckets } from './leaky-buckets.ts'

/** Allows a second of work immediately, then a tenth of a processor. */
function bucketsAt() {
  const clock = { now: 5000 }
  return { clock, work: createLeakyBuckets({ perSecond: 100, burst: 1000 }, () => clock.now) }
}

test('what is within the burst waits for nothing', (t) => {
  const { work } = bucketsAt()
  for (let nth = 0; nth < 10; nth += 1) {
    t.is(work.secondsUntilFree('a', 0), 0)
    work.add('a', 100)
  }
  t.is(work.secondsUntilFree('a', 0), 0)
})

test('what is over the burst waits until it has leaked, and another owner does not', (t) => {
  const { work, clock } = bucketsAt()
  work.add('a', 1500)
  t.is(work.secondsUntilFree('a', 0), 5)
  t.is(work.secondsUntilFree('b', 0), 0)
  clock.now += 4999
  t.is(work.secondsUntilFree('a', 0), 1)
  clock.now += 1
  t.is(work.secondsUntilFree('a', 0), 0)
  work.add('a', 100)
  t.is(work.secondsUntilFree('a', 0), 1)
})

test('over a long time, an owner gets its share and no more', (t) => {
  const { work, clock } = bucketsAt()
  let done = 0
  for (; clock.now < 1_000_000; clock.now += 10)
    if (work.secondsUntilFree('a', 0) === 0) {
      work.add('a', 50)
      done += 50
    }
  t.true(done >= 99_500 && done <= 101_000, `${done}`)
})

test('an owner that rested has its whole burst again', (t) => {
  const { work, clock } = bucketsAt()
  work.add('a', 2000)
  clock.now += 20_000
  work.add('a', 1000)
  t.is(work.secondsUntilFree('a', 0), 0)
})
