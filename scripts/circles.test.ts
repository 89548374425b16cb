import { dirname } from 'node:path'
import test from 'ava'
import { fileCircles, folderCircles, readSources } from './circles.ts'

test('no files and no folders import one another, types included', (t) => {
  const sources = readSources()
  t.true(sources.length > 800)
  t.deepEqual([...fileCircles(sources), ...folderCircles(sources)], [])
})

test('no RPC imports another', (t) => {
  const between = readSources().flatMap(({ path, imports }) =>
    path.includes('/src/rpc/') && path.startsWith('services/')
      ? imports.filter((name) => dirname(name) === dirname(path)).map((name) => `${path} imports ${name}`)
      : [],
  )
  t.deepEqual(between, [])
})

test('a circle is found through any number of files, and between a folder and its subfolder', (t) => {
  const source = (path: string, ...imports: string[]) => ({ path, imports, lines: [] })
  const inRoom = (name: string) => `services/one/src/${name}`
  const files = [
    source(inRoom('context.ts'), inRoom('models/person.ts')),
    source(inRoom('models/person.ts'), inRoom('sign-in/rules/code.ts')),
    source(inRoom('sign-in/rules/code.ts'), inRoom('sign-in/session.ts')),
    source(inRoom('sign-in/session.ts'), inRoom('models/session.ts')),
    source(inRoom('models/session.ts'), inRoom('wire.ts')),
    source(inRoom('wire.ts')),
  ]
  t.deepEqual(fileCircles(files), [])
  t.deepEqual(folderCircles(files), [['models', 'sign-in/rules', 'sign-in'].map(inRoom)])
  const closed = [...files.slice(0, -1), source(inRoom('wire.ts'), inRoom('context.ts'))]
  t.deepEqual(fileCircles(closed), [closed.map(({ path }) => path)])
})
