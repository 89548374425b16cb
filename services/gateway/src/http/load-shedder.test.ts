import { EventEmitter } from 'node:events'
import test from 'ava'
import { createLoadShedder } from './load-shedder.ts'

/** A clock and calls under the test's control. */
function open() {
  let clock = 0
  const loadShedder = createLoadShedder(() => clock)
  const calls: EventEmitter[] = []
  return {
    /** Offers `count` calls and returns how many were admitted. */
    take(count: number): number {
      const before = calls.length
      for (let nth = 0; nth < count; nth++) {
        const res = new EventEmitter()
        if (loadShedder.admits(res)) calls.push(res)
      }
      return calls.length - before
    },
    pass(ms: number): void {
      clock += ms
    },
    answer(count: number): void {
      for (const res of calls.splice(0, count)) res.emit('close')
    },
  }
}

test('after idle time 256 calls are admitted, quick answers raise the limit, and it never exceeds 512', (t) => {
  const { take, pass, answer } = open()
  t.is(take(600), 256)
  for (let round = 0; round < 3; round++) {
    pass(100)
    answer(80)
    t.is(take(600), 80 + 10, 'one more for every eight answers')
  }
  for (let round = 0; round < 30; round++) {
    pass(100)
    answer(200)
    take(600)
  }
  pass(100)
  answer(512)
  t.is(take(600), 512)
})

test('when answers are slow, the limit is what can be answered in 0.9 seconds', (t) => {
  const { take, pass, answer } = open()
  t.is(take(600), 256)
  pass(1500)
  answer(200)
  t.is(take(600), 180 - 56)
  pass(5000)
  t.is(take(600), 0, 'nothing was answered since, and 180 are waiting')
  answer(177)
  t.is(take(600), 8 - 3, 'late answers do not count')
})

test('when answers are quick again, the limit rises slowly', (t) => {
  const { take, pass, answer } = open()
  take(600)
  pass(1500)
  answer(200)
  take(600)
  const underWay = 180
  for (let round = 0; round < 12; round++) {
    pass(250)
    answer(60)
    take(60)
  }
  const more = take(600)
  t.true(more > 0 && underWay + more < 300, `${more} more`)
})

test('at least eight calls are admitted, and the limit resets when nothing is in flight', (t) => {
  const { take, pass, answer } = open()
  take(100)
  pass(1900)
  answer(99)
  pass(5000)
  t.is(take(600), 7)
  answer(8)
  t.is(take(600), 256)
})

for (const perSecond of [150, 400, 900]) {
  test(`at four times its capacity of ${perSecond} calls a second, the server still answers over 90% of that capacity`, (t) => {
    const seconds = 20
    const good = simulate({ perSecond, asked: 4 * perSecond, seconds }) / seconds
    t.log(`${good.toFixed(0)} of ${perSecond} a second`)
    t.true(good > 0.9 * perSecond)
  })
}

type Rates = { perSecond: number; asked: number; seconds: number }

/** After this time the caller gets a timeout and the work is lost. */
const DEADLINE_MS = 1900

/**
 * A server that answers one call at a time.
 * @returns how many were answered in time
 */
function simulate({ perSecond, asked, seconds }: Rates): number {
  let clock = 0
  let good = 0
  let doneAt = 0
  const loadShedder = createLoadShedder(() => clock)
  const line: { res: EventEmitter; at: number }[] = []
  const isLate = ({ at }: { at: number }) => clock - at >= DEADLINE_MS
  const answer = () => {
    const [first] = line.splice(0, 1)
    if (first === undefined || isLate(first)) return
    good += 1
    first.res.emit('close')
  }
  for (let nth = 0; clock < seconds * 1000; nth++) {
    clock = (nth * 1000) / asked
    for (; doneAt + 1000 / perSecond <= clock; doneAt += 1000 / perSecond) answer()
    // A late call gets its timeout now but stays in the queue.
    for (const late of line.filter((call) => isLate(call))) late.res.emit('close')
    const res = new EventEmitter()
    if (loadShedder.admits(res)) line.push({ res, at: clock })
  }
  return good
}
