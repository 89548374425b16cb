import test from 'ava'
import { failedFiles } from './failed-files.ts'

const FILES = ['tests/site/pages.test.ts', 'tests/a.test.ts']
const isFile = (path: string) => FILES.includes(path)

test('a file is known by the test that failed in it, whatever is in the title', (t) => {
  const output = `
  ✔ tests › a › good
  ✘ [fail]: tests › site › pages › one › signs in Test failed
  \u001b[31m✘ [fail]:\u001b[39m tests › site › pages › another`
  t.deepEqual(failedFiles(output, isFile), ['tests/site/pages.test.ts'])
})

test('a file that crashed, hung or threw is found too, each once', (t) => {
  const output = `
  Uncaught exception in tests/b.test.ts
  ✘ tests/b.test.ts exited with a non-zero exit code: 1
  ✘ 1 test remaining in tests/c.test.ts
  1 tests were pending in tests/d.test.ts`
  t.deepEqual(failedFiles(output, isFile), ['tests/b.test.ts', 'tests/c.test.ts', 'tests/d.test.ts'])
})

test('a run in which all went well has none', (t) => {
  t.deepEqual(failedFiles('\n  ✔ tests › a › good\n  ─\n\n  1 test passed\n', isFile), [])
})
