import test from 'ava'
import { countTests } from './count-tests.ts'

test('passed tests are counted, with or without colors', (t) => {
  const output = '\n  ✔ a › one\n  \u001b[32m✔\u001b[39m a › two (2.1s)\n  ─\n\n  2 tests passed\n'
  t.deepEqual(countTests(output, 0), { passed: 2, failed: 0, skipped: 0 })
})

test('failures of every kind, and skipped tests, are counted', (t) => {
  const output = `
  ✔ a › good
  - [skip] a › skipped
  ✘ [fail]: a › bad
  ✘ a.test.ts exited with a non-zero exit code: 1
  ─

  1 test failed
  1 hook failed
  2 uncaught exceptions
  1 unhandled rejection
  3 tests remained pending after a timeout`
  t.deepEqual(countTests(output, 1), { passed: 1, failed: 8, skipped: 1 })
})

test('a run that found no tests or crashed is a failure', (t) => {
  t.deepEqual(countTests('  ✘ Couldn’t find any files to test', 1), { passed: 0, failed: 1, skipped: 0 })
  t.deepEqual(countTests('', 139), { passed: 0, failed: 1, skipped: 0 })
})
