import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { freePort } from '@family-inbox/local-stack/free-port'
import { startMongod } from '@family-inbox/local-stack/mongod'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import test from 'ava'
import { MongoClient } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { type Family, startFamily } from '../_family.ts'
import { startMailSink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { untilHandled } from '../_streams.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { until } from '../_wait.ts'
import { calendar, newUid } from '../appointments/_invitations.ts'
import { attachment, multipartMail, part, text } from '../mail-corpus/build-mail.ts'
import { press } from './_crash-world.ts'

/** Otherwise a search of the files says little: compression splits words. */
const READABLE = [
  ...['--wiredTigerCollectionBlockCompressor', 'none', '--wiredTigerJournalCompressor', 'none'],
  ...['--wiredTigerIndexPrefixCompression', 'false'],
]

/** In each place of a letter, and of what a family writes about it, a word that is nowhere else. */
const newWords = () => {
  const places = ['subject', 'body', 'fileName', 'file', 'event', 'note', 'reply'] as const
  return Object.fromEntries(places.map((place) => [place, `zq${randomText(14)}`.toLowerCase()])) as Words
}

type Words = Record<'subject' | 'body' | 'fileName' | 'file' | 'event' | 'note' | 'reply', string>

test('of mail that was deleted for good, no word is in NATS, a later backup or download, or a database that was filled from it', async (t) => {
  await using cleanUp = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-gone-'))
  cleanUp.defer(() => rm(dir, { recursive: true, force: true }))
  const folder = (name: string) => join(dir, name)
  const before = cleanUp.use(await startReadable(folder('before')))
  const sink = cleanUp.use(await startMailSink())
  // Nothing is sealed: its words could not be found.
  const env = { MONGODB_URI: before.uri, SMTP_URL: sink.url, KEY_ENCRYPTION_KEYS: '[]' }
  const f = cleanUp.use(await startFamily({ dataDir: folder('data'), processes: 'single', env }))
  const owner = await signIn(f, sink, f.family.people.owner)
  const [gone, notOurs, kept] = [newWords(), newWords(), newWords()]
  const paths = await receive(f, [gone, notOurs, kept])
  for (const [words, path = ''] of [
    [gone, paths[0]],
    [notOurs, paths[1]],
  ] as const) {
    await press(owner, `${path}/notes`, { note: words.note, key: words.note })
    await press(owner, `${path}/reply`, { body: words.reply, key: words.reply })
    await until(async () => sink.mails.some(({ raw }) => raw.includes(words.reply)))
  }
  for (const stream of ['OUTGOING_MAIL', 'CALENDAR_CHANGES']) await untilHandled(f.stack, stream)
  await using client = await openDatabase(f.stack, 'inbox')
  await until(async () => (await client.db().collection('messages').countDocuments({ indexPending: true })) === 0)
  // A busy machine may not answer what it has done.
  const move = (path: string, { subject }: Words, fields: Record<string, string>) =>
    until(async () => {
      await owner.submit(path, fields)
      return (
        (await client
          .db()
          .collection('messages')
          .countDocuments({ subject: `About ${subject}` })) === 0
      )
    })
  await flush(before.uri)
  t.deepEqual(await missingIn(folder('before'), gone), [], 'the search finds what is there')

  await move(`${paths[0]}/move`, gone, { to: 'deleted-alone' })
  await press(owner, `${paths[0]?.replace('/inbox/', '/deleted/')}/delete`, {})
  await move(`${paths[1]}/not-ours`, notOurs, {})
  await until(async () => (await client.db().collection('messages_aside').countDocuments()) === 0)
  for (const stream of ['OUTGOING_MAIL', 'CALENDAR_CHANGES']) await untilHandled(f.stack, stream)
  t.deepEqual(await findIn(folder('data'), gone), [], 'NATS, and everything else in the folder of data')
  t.deepEqual(await findIn(folder('data'), notOurs), [])

  // An appointment that somebody may have planned with stays, unless the mail was not meant for the family.
  const { event: _, ...letter } = gone
  const download = await downloadAll(f, owner)
  t.true(download.includes(kept.body))
  t.deepEqual([...wordsIn(download, letter), ...wordsIn(download, notOurs)], [])
  await backup('make', folder('backup'), before.uri)
  t.deepEqual(await missingIn(folder('backup'), kept), ['note', 'reply'], 'which nobody wrote')
  t.deepEqual(await findIn(folder('backup'), letter), [])
  t.deepEqual(await findIn(folder('backup'), notOurs), [])
  const after = cleanUp.use(await startReadable(folder('after')))
  await backup('restore', folder('backup'), after.uri)
  await flush(after.uri)
  t.deepEqual(await missingIn(folder('after'), { subject: kept.subject, body: kept.body }), [])
  t.deepEqual(await findIn(folder('after'), letter), [])
  t.deepEqual(await findIn(folder('after'), notOurs), [])
})

/** @returns the path of each letter */
async function receive(f: Family, letters: Words[]): Promise<string[]> {
  const { id: lovedOneId = '', inboxAddress = '' } = f.family.lovedOnes[0] ?? {}
  for (const words of letters) {
    const headers = { Subject: `About ${words.subject}`, From: 'Desk <desk@clinic.example>' }
    const event = calendar({ uid: newUid(), summary: `Visit ${words.event}` })
    const parts = [
      text(`Please read ${words.body}.`),
      attachment(`${words.fileName}.txt`, 'text/plain', Buffer.from(`It says ${words.file}.`)),
      part({ 'Content-Type': 'text/calendar; method=REQUEST' }, event),
    ]
    await openMailer(f.stack).deliver(inboxAddress, multipartMail(headers, 'mixed', parts))
  }
  const { json } = await f.call(f.family.keys.owner, 'list_inbox_messages', { lovedOneId, limit: 50 })
  const messages = json.result.structuredContent.messages as { id: string; subject: string }[]
  const idOf = ({ subject }: Words) => messages.find((one) => one.subject.includes(subject))?.id
  return letters.map((words) => `/inbox/${lovedOneId}/${idOf(words)}`)
}

async function startReadable(dir: string) {
  const found = await findMongod({ env: { ...readEnvironment(), MONGODB_URI: undefined }, say: () => {} })
  if ('external' in found) throw new Error('a mongod of its own is needed')
  const port = await freePort()
  return startMongod({ binary: found.path, dir, port, logFile: `${dir}.log`, cacheSizeGb: 0.25, args: READABLE })
}

/** Writes everything that mongod has in memory to its files. */
async function flush(uri: string): Promise<void> {
  await using client = await MongoClient.connect(uri)
  await client.db('admin').command({ fsync: 1 })
}

async function backup(verb: 'make' | 'restore', folder: string, uri: string): Promise<void> {
  const main = join(REPOSITORY, 'deploy/src/backup.ts')
  const env = { ...process.env, MONGODB_URI: uri }
  await promisify(execFile)(process.execPath, [main, verb, folder], { timeout: 60_000, env })
}

/** The family's download, which is not compressed. */
async function downloadAll({ stack }: Family, { cookie }: Visitor): Promise<string> {
  const headers = { cookie, origin: stack.inboxUrl }
  const answer = await fetch(`${stack.inboxUrl}/settings/your-data/download`, { method: 'POST', headers })
  return readable(await answer.bytes())
}

function readable(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1').toLowerCase()
}

/** The places of the words that are in a text. */
function wordsIn(text: string, words: Partial<Words>): string[] {
  const places = Object.entries(words).filter(([, word]) => spellings(word).some((spelling) => text.includes(spelling)))
  return places.map(([place]) => place)
}

/** Which words are in which files. */
async function findIn(folder: string, words: Partial<Words>): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const places = wordsIn(readable(await readFile(file).catch(emptyIfGone)), words)
    found.push(...places.map((place) => `${place} in ${relative(folder, file)}`))
  }
  return found
}

/** mongod, which runs meanwhile, deletes tables that it needed for a moment. */
function emptyIfGone(error: NodeJS.ErrnoException): Buffer {
  if (error.code !== 'ENOENT') throw error
  return Buffer.of()
}

async function missingIn(folder: string, words: Partial<Words>): Promise<string[]> {
  const found = await findIn(folder, words)
  return Object.keys(words).filter((place) => !found.some((one) => one.startsWith(`${place} in `)))
}

/** As it is, and as it may be inside of base64, whose groups of three bytes can begin anywhere. */
function spellings(word: string): string[] {
  const inside = [0, 1, 2].map((shift) => {
    const encoded = Buffer.from(`${' '.repeat(shift)}${word}`).toString('base64')
    return encoded.slice(4, -4).toLowerCase()
  })
  return [word, ...inside]
}
