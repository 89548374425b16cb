import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'ava'

const ROOT = join(import.meta.dirname, '..')
const HOME = 'packages/mail-reader/'
const IMPORT = /(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*'([^']+)'/g

/** Databases, calls between services, and what opens files or connections. */
const WORLD =
  /^(?:mongoose|mongodb|nats|nodemailer|@grpc\/.*|(?:node:)?(?:fs|net|tls|http|https|http2|dgram|dns|child_process)(?:\/.*)?|@family-inbox\/service-kit\/(?:config|mongo|nats|http)\/.*)$/

/** They parse MIME, iCalendar, or signatures of mail. */
const PARSERS = /^(?:ical\.js|postal-mime|mailauth)(?:\/.*)?$/

/** Nobody else's bytes. */
const OWN_BYTES: Readonly<Record<string, string>> = {
  'services/care-circle/src/appointments/write-calendar.ts': 'writes calendars',
  'services/site/src/dev-mail/dev-mail.ts': 'shows mail of this product, on a local installation only',
}

type Import = { file: string; name: string }

const sources = globSync('{packages,services,deploy,scripts,bench}/**/*.{ts,mjs}', {
  cwd: ROOT,
  exclude: (path) => path.includes('node_modules'),
}).filter((file) => !file.endsWith('.test.ts'))
const imports = sources.flatMap(importsOf)

test('the mail reader knows no database, call, file, connection or service', (t) => {
  const own = imports.filter(({ file }) => file.startsWith(HOME))
  t.true(own.length > 100)
  t.deepEqual(own.filter(reachesOut), [])
})

test('only the mail reader parses mail and calendars', (t) => {
  const elsewhere = imports.filter(({ file, name }) => !file.startsWith(HOME) && PARSERS.test(name))
  t.deepEqual(elsewhere.map(({ file }) => file).sort(), Object.keys(OWN_BYTES).sort())
})

function importsOf(file: string): Import[] {
  const found = readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)
  return [...found].map(([, name = '']) => ({ file, name }))
}

function reachesOut({ file, name }: Import): boolean {
  if (name.startsWith('.')) return join(dirname(file), name).startsWith('services/')
  const [, project] = /^@family-inbox\/([^/]+)/.exec(name) ?? []
  return WORLD.test(name) || (project !== undefined && !/^(?:proto|service-kit|workspace-kit)$/.test(project))
}
