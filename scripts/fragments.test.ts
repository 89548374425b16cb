import { existsSync } from 'node:fs'
import test from 'ava'
import { readSources, type Source } from './circles.ts'

const FRAGMENT = 25
/** Named in the specification or started by name: RPCs, collections, tools, migrations, commands, and the files every service has. */
const NAMED = /\/(?:rpc|models|tools|migrations|commands)\/|\/(?:main|service|config|context|crash-points|index)\.ts$/

/** Each with the reason why it does not live with its user. */
const APART: Readonly<Record<string, string>> = {
  'packages/mail-reader/src/calendar/title.ts': 'a list of words in twenty languages',
  'packages/mail-reader/src/preview/draw-page.ts': 'a thread loads it only to draw',
  'packages/mail-reader/src/threads/reader-thread.ts': 'a thread starts with it',
  'services/inbox/src/conversations/find-reminders.ts': 'a page reads it, and what ends reminders does not',
  'services/inbox/src/sending/mail-files.ts': 'a step of a walk in docs/architecture.md',
  'services/site/src/inbox/add-attachment.ts': 'a route',
  'services/site/src/inbox/undo-reply.ts': 'a route',
}

test('a fragment under 25 lines with one user and no test lives with its user', (t) => {
  const sources = readSources()
  const isUser = ({ path, imports }: Source, of: string) => path !== of && imports.includes(of)
  const alone = sources
    .filter(({ path, lines }) => path.includes('/src/') && path.endsWith('.ts') && lines.length < FRAGMENT)
    .filter(({ path }) => !NAMED.test(path) && !existsSync(path.replace(/\.ts$/, '.test.ts')))
    .filter(({ path }) => sources.filter((source) => isUser(source, path)).length === 1)
  t.deepEqual(
    alone.map(({ path }) => path).filter((path) => !(path in APART)),
    [],
  )
})
