// Run by rules.test.ts alone: tests that are late, and some that are not.
import test from 'ava'

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

test('is done in time', (t) => t.pass())

test('gets its arguments', (t, word) => t.is(word, 'this'), 'this')
