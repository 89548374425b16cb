import test from 'ava'
import { createWorkAllowance } from './work-allowance.ts'

/** A second of work at once, then a tenth of a processor. */
function allowanceAt() {
  const clock = { now: 5000 }
  return { clock, work: createWorkAllowance({ burstMs: 1000, share: 0.1, now: () => clock.now }) }
}

test('work within the burst waits for nothing', (t) => {
  const { work } = allowanceAt()
  for (let nth = 0; nth < 10; nth += 1) {
    t.is(work.secondsToWait('a'), 0)
    work.spend('a', 100)
  }
  t.is(work.secondsToWait('a'), 0)
})

test('work over the burst waits until its share of time has passed, and another owner does not', (t) => {
  const { work, clock } = allowanceAt()
  work.spend('a', 1500)
  t.is(work.secondsToWait('a'), 5)
  t.is(work.secondsToWait('b'), 0)
  clock.now += 4999
  t.is(work.secondsToWait('a'), 1)
  clock.now += 1
  t.is(work.secondsToWait('a'), 0)
  work.spend('a', 100)
  t.is(work.secondsToWait('a'), 1)
})

test('over a long time, an owner gets its share and no more', (t) => {
  const { work, clock } = allowanceAt()
  let done = 0
  for (; clock.now < 1_000_000; clock.now += 10)
    if (work.secondsToWait('a') === 0) {
      work.spend('a', 50)
      done += 50
    }
  t.true(done >= 99_500 && done <= 101_000, `${done}`)
})

test('an owner that rested has its whole burst again', (t) => {
  const { work, clock } = allowanceAt()
  work.spend('a', 2000)
  work.spend('b', 10)
  clock.now += 20_000
  work.spend('c', 10)
  work.spend('a', 1000)
  t.is(work.secondsToWait('a'), 0)
})
