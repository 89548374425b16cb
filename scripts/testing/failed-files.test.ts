import test from 'ava'
import { failedFiles, flakyTests, strayFailures } from './failed-files.ts'

const FILES = ['tests/site/pages.test.ts', 'tests/a.test.ts', 'tests/cluster/kubernetes.test.ts']
const isFile = (path: string) => FILES.includes(path)

test('a failed test leads to its file', (t) => {
  const output = `
  ✔ tests › a › good
  ✘ [fail]: tests › site › pages › one › signs in Test failed
  \u001b[31m✘ [fail]:\u001b[39m tests › site › pages › another`
  t.deepEqual(failedFiles(output, isFile), ['tests/site/pages.test.ts'])
})

test('files that crashed, hung or threw are found, each once', (t) => {
  const output = `
  Uncaught exception in tests/b.test.ts
  ✘ tests/b.test.ts exited with a non-zero exit code: 1
  ✘ 1 test remaining in tests/c.test.ts
  1 tests were pending in tests/d.test.ts`
  t.deepEqual(failedFiles(output, isFile), ['tests/b.test.ts', 'tests/c.test.ts', 'tests/d.test.ts'])
})

test('a successful run has no failed files', (t) => {
  t.deepEqual(failedFiles('\n  ✔ tests › a › good\n  ─\n\n  1 test passed\n', isFile), [])
})

test('a flaky test failed among many files and passed when its file ran again alone', (t) => {
  const before = `
  ✘ [fail]: tests › a › signs in Test failed
  ✘ [fail]: tests › a › signs out Error: closed
  ✘ [fail]: tests › b › good`
  const again = `
  \u001b[32m✔\u001b[39m signs in (2.1s)
  ✘ [fail]: signs out Error: closed
  ✔ good`
  t.deepEqual(flakyTests('tests/a.test.ts', before, again), ['tests › a › signs in'])
})

test('a test that failed in a worker of many files leads to its own file', (t) => {
  const before = '\n  ✘ [fail]: scripts › unit-tests › part-1 › tests/a.test.ts: signs in Test failed\n'
  t.deepEqual(failedFiles(before, isFile), ['tests/a.test.ts'])
  t.deepEqual(flakyTests('tests/a.test.ts', before, '\n  ✔ signs in\n'), ['tests › a › signs in'])
})

test('a failed test leads to its file also where all files of a run are in one folder, whose name its title lacks', (t) => {
  const before = '\n  ✘ [fail]: site › pages › signs in Test failed\n'
  t.deepEqual(failedFiles(before, isFile), ['tests/site/pages.test.ts'])
  t.deepEqual(strayFailures(before, isFile), [])
  t.deepEqual(flakyTests('tests/site/pages.test.ts', before, '\n  ✔ signs in\n'), ['tests › site › pages › signs in'])
  const onCluster = '\n  ✘ [fail]: kubernetes › a node is lost Error: closed\n'
  t.deepEqual(failedFiles(onCluster, isFile), ['tests/cluster/kubernetes.test.ts'])
  t.deepEqual(strayFailures(onCluster, isFile), [])
  t.deepEqual(flakyTests('tests/cluster/kubernetes.test.ts', onCluster, '\n  ✔ a node is lost\n'), [
    'tests › cluster › kubernetes › a node is lost',
  ])
})

test('a failed test of no known file is not forgotten when others run again', (t) => {
  const before = '\n  ✘ [fail]: tests › a › signs in\n  ✘ [fail]: nowhere › signs out Error: closed\n'
  t.deepEqual(strayFailures(before, isFile), ['nowhere › signs out Error: closed'])
})
