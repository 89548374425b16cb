// Run by rules.test.ts alone: tests that are late, and some that are not.
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { uncounted } from './waiting-time.ts'

test.serial('never ends', () => {
  setInterval(() => {}, 1000)
  return new Promise(() => {})
})

test.serial('asserts again and again', async (t) => {
  for (;;) {
    t.pass()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
})

test('waits for what others use', async (t) => {
  await uncounted(sleep(1500))
  t.pass()
})

test('is done in time', (t) => t.pass())

test('gets its arguments', (t, word) => t.is(word, 'this'), 'this')
