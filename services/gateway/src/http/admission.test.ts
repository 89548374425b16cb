import { EventEmitter } from 'node:events'
import test from 'ava'
import { createAdmission } from './admission.ts'

/** Asks for calls, and answers those that are taken on. */
function open() {
  let clock = 0
  const admission = createAdmission(() => clock)
  const calls: EventEmitter[] = []
  return {
    /** How many of so many are taken on. */
    take(count: number): number {
      const before = calls.length
      for (let nth = 0; nth < count; nth++) {
        const res = new EventEmitter()
        if (admission(res)) calls.push(res)
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

test('while answers are quick five hundred and twelve calls are taken on at once, and no more', (t) => {
  const { take, pass, answer } = open()
  t.is(take(600), 512)
  pass(100)
  answer(512)
  t.is(take(600), 512)
})

test('while answers are slow as many are under way as are answered in a second', (t) => {
  const { take, pass, answer } = open()
  t.is(take(600), 512)
  pass(1500)
  answer(300)
  t.is(take(600), 300 - 212)
  pass(5000)
  t.is(take(600), 0, 'nothing has been answered since, and 300 wait')
  answer(297)
  t.is(take(600), 8 - 3, 'what came too late is no answer')
})

test('a few are always taken on, and as soon as nobody waits it begins anew', (t) => {
  const { take, pass, answer } = open()
  take(100)
  pass(1900)
  answer(99)
  pass(5000)
  t.is(take(600), 7)
  answer(8)
  t.is(take(600), 512)
})
