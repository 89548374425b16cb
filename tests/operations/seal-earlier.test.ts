import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStack } from '@family-inbox/local-stack/stack'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import test from 'ava'
import { BSON } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { callsTo, type Family, startFamily } from '../_family.ts'
import { startMailSink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn } from '../_visitor.ts'
import { until } from '../_wait.ts'
import { fill } from '../app/_fill.ts'
import { plainMail } from '../inbox/_smtp-client.ts'

test('what was stored before the keys were known is sealed later, is read and found all the time, and stays as it was', async (t) => {
  t.timeout(180_000)
  await using cleanUp = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'family-inbox-earlier-'))
  cleanUp.defer(() => rm(dataDir, { recursive: true, force: true }))
  const sink = cleanUp.use(await startMailSink())
  const options = { dataDir, env: { SMTP_URL: sink.url }, separate: ['inbox'] as const }
  const before = await startFamily({ ...options, env: { ...options.env, KEY_ENCRYPTION_KEYS: '[]' } })
  const { family } = before
  const word = `zq${randomText(14)}`
  const earlier = await fill(before, sink, family, word)
  const path = (await earlier.get(`/inbox/${family.lovedOnes[0]?.id}`)).text.match(/\/inbox\/\w+\/msg_\w+/)?.[0] ?? ''
  await before[Symbol.asyncDispose]()

  const stack = cleanUp.use(await startStack(options))
  const f: Family = { ...before, stack, ...callsTo(stack.apiUrl) }
  await using mongo = await openDatabase(stack, 'inbox')
  const db = mongo.db()
  /** How many rows have the word as it was written. */
  const readable = async () => {
    let rows = 0
    for (const { name } of await db.listCollections({ type: 'collection' }).toArray())
      for await (const row of db.collection(name).find())
        if (Buffer.from(BSON.serialize(row)).includes(`ear ${word}`)) rows += 1
    return rows
  }
  const found = async (text: string) => {
    const { json } = await f.call(family.keys.owner, 'list_inbox_messages', {
      lovedOneId: family.lovedOnes[0]?.id,
      query: text,
    })
    return json.result.structuredContent.messages.length as number
  }
  const mailer = openMailer(stack)
  await mailer.deliver(family.lovedOnes[0]?.inboxAddress ?? '', plainMail('Another', `Dear ${word}, again`))
  await until(async () => (await found(`"dear ${word}"`)) === 2)
  t.true((await readable()) > 0)
  t.is(await db.collection('workspace_keys').countDocuments(), 0, 'a replica may not know the keys yet')

  const decisions = db.collection<{ _id: string; beginsAt: Date }>('schema')
  const decision = await decisions.findOne({ _id: 'sealing' })
  t.true(Number(decision?.beginsAt) > Date.now() + 1_800_000)
  await decisions.updateOne({ _id: 'sealing' }, { $set: { beginsAt: new Date(Date.now() - 3_600_000) } })
  await stack.restart('inbox')
  await until(async () => {
    const keys = db.collection<{ _id: string; convertedAt?: Date }>('workspace_keys')
    return (await keys.findOne({ _id: family.workspaceId }))?.convertedAt !== undefined
  })
  t.is(await readable(), 0)
  t.is(await found(`"dear ${word}"`), 2)
  t.is(await found(`"inside ${word}"`), 1, 'by what a file says')
  const owner = await signIn(f, sink, family.people.owner)
  const { text } = await owner.get(path)
  for (const part of [`About ${word}`, `Dear ${word}`, `Reply ${word}`, `@Luis ${word}`, `scan ${word}`])
    t.true(text.replace(/<[^>]*>/g, '').includes(part), part)
})
