import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import type { MongoClient } from 'mongodb'
import { setCheck, type Verdict } from '../_checked.ts'
import { openDatabase } from '../_database.ts'
import { type Guest, joinFamily } from '../_family.ts'
import type { SunkMail } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { becomesTrue, until } from '../_wait.ts'
import { mail } from '../mail-corpus/build-mail.ts'
import type { Sink, Visitor } from './_app.ts'
import { idOf, inDays, type List, makeDue, newScene, noticesTo } from './_notices.ts'

const test = anyTest as TestFn<{ f: Guest; sink: Sink; mongo: MongoClient }>

test.before(async (t) => {
  const f = await joinFamily('quick')
  t.context = { f, sink: f.sink, mongo: await openDatabase(f.stack, 'inbox') }
})
test.after.always(async (t) => {
  const { f, mongo } = t.context
  await mongo?.close()
  await f?.[Symbol.asyncDispose]()
})

async function awaitNotices(sink: Sink, to: string, count: number): Promise<SunkMail[]> {
  await becomesTrue(async () => noticesTo(sink, to).length >= count)
  return noticesTo(sink, to)
}

test('who is handed a message gets one mail that says so, without its content, together with notes that name them', async (t) => {
  const { f, sink } = t.context
  const { people, ana, path, subject, untilQuiet } = await newScene(f, sink)
  const assignee = await idOf(ana, path, 'Luis Almeida')
  t.is((await ana.submit(`${path}/status`, { act: 'hand-over', assignee, seen: '' })).status, 303)
  const secret = `zq${randomText(12)}`
  t.is((await ana.submit(`${path}/notes`, { note: `@Luis please call them about ${secret}`, key: 'one' })).status, 303)
  const [notice] = await awaitNotices(sink, people.coordinator, 1)
  await untilQuiet()
  t.is(noticesTo(sink, people.coordinator).length, 1, 'gathered')
  t.is(noticesTo(sink, people.owner).length, 0)
  t.is(noticesTo(sink, people.viewer).length, 0)
  const { headers = '', raw = '' } = notice ?? {}
  t.regex(headers, /^Subject: 2 things for you in The Almeida family$/m)
  t.regex(headers, /^Auto-Submitted: auto-generated$/m)
  t.regex(headers, /^List-Unsubscribe: </m)
  const text = raw.replaceAll('=\r\n', '')
  t.regex(text, /Ana Almeida handed you a message about Rosa Almeida/)
  t.regex(text, /Ana Almeida mentioned you in a note about Rosa Almeida/)
  for (const word of [subject, secret, 'clinic', 'call them']) t.false(text.includes(word), word)
})

test('whoever turned notifications off gets none, and what was given back is not announced', async (t) => {
  const { f, sink } = t.context
  const { people, ana, luis, path, untilQuiet } = await newScene(f, sink)
  t.true((await luis.get('/settings/notifications')).text.includes('value="personal" checked'))
  await luis.submit('/settings/notifications', { mode: 'none', timeZone: 'Europe/Lisbon' })
  const [anaId, luisId] = [await idOf(luis, path, 'Ana Almeida'), await idOf(ana, path, 'Luis Almeida')]
  await ana.submit(`${path}/status`, { act: 'hand-over', assignee: luisId, seen: '' })
  await luis.submit(`${path}/status`, { act: 'hand-over', assignee: anaId, seen: luisId })
  await ana.submit(`${path}/status`, { act: 'give-back' })
  await untilQuiet()
  t.is(noticesTo(sink, people.coordinator).length + noticesTo(sink, people.owner).length, 0)
})

/** Makes the reminders due, and waits until they are in the lists of all who get them. */
async function handOut(mongo: MongoClient, workspaceId: string): Promise<void> {
  const reminders = mongo.db().collection('reminders')
  const past = new Date(Date.now() - 1000)
  await reminders.updateMany({ workspaceId }, { $set: { dueAt: past } })
  await until(async () => (await reminders.countDocuments({ workspaceId, dueAt: { $lte: past } })) === 0)
}

/** Lets the morning of a reminder begin for everyone. */
async function beginMorning(mongo: MongoClient, workspaceId: string): Promise<void> {
  await handOut(mongo, workspaceId)
  await makeDue(mongo, workspaceId)
}

test('a reminder comes once, in the morning of its day where each person is, to everyone who can reply', async (t) => {
  const { f, sink, mongo } = t.context
  const { people, ana, luis, path, workspaceId, subject, untilQuiet } = await newScene(f, sink)
  await luis.submit('/settings/notifications', { mode: 'personal', timeZone: 'Asia/Kolkata' })
  const day = inDays(3)
  t.is((await ana.submit(`${path}/reminders`, { day, unanswered: '1' })).status, 303)
  t.is((await luis.submit(`${path}/reminders`, { day, unanswered: '1' })).status, 303)
  t.regex((await luis.get(path)).text, /Reminder on .*only if nobody has answered/)
  await handOut(mongo, workspaceId)
  const lists = mongo.db().collection<List>('notice_lists')
  const due = (await lists.find({ workspaceId }).toArray()).map(({ dueAt }) => dueAt?.toISOString()).sort()
  t.deepEqual(due, [`${day}T02:30:00.000Z`, `${day}T08:00:00.000Z`], 'eight in Kolkata, and where the page did not say')
  await makeDue(mongo, workspaceId)
  for (const email of [people.owner, people.coordinator]) {
    const [notice] = await awaitNotices(sink, email, 1)
    t.regex(notice?.headers ?? '', /^Subject: Reminder about a message for Rosa Almeida, set by Ana Almeida$/m)
    t.false(notice?.raw.includes(subject))
  }
  // As a crash leaves it: the mail was sent, and the reminder still seems to be due.
  await untilQuiet()
  await beginMorning(mongo, workspaceId)
  await untilQuiet()
  t.is(noticesTo(sink, people.owner).length, 1)
  t.is(noticesTo(sink, people.coordinator).length, 1)
  t.is(noticesTo(sink, people.viewer).length, 0)
})

type Scene = Awaited<ReturnType<typeof newScene>>
type Ending = (scene: Scene, f: Guest, mongo: MongoClient) => Promise<unknown>

/** Delivers an answer to the message, and leaves it as a check with this result would. */
async function answerByMail({ subject, address, workspaceId }: Scene, f: Guest, mongo: MongoClient, sent: Sent) {
  const { from = 'Desk <desk@clinic.example>', fields = {}, verdict } = sent
  const [id, own] = [`<${subject.slice(10)}@clinic.example>`, `<${randomText(9)}@clinic.example>`]
  await openMailer(f.stack).deliver(
    address,
    mail({ From: from, Subject: `Re: ${subject}`, 'Message-ID': own, 'In-Reply-To': id, ...fields }, 'Hello again'),
  )
  await setCheck(mongo, { workspaceId, messageIdHeader: own } as never, verdict)
}

type Sent = { from?: string; fields?: Record<string, string>; verdict: Verdict }

const endings: [string, Ending][] = [
  [
    'a family member replied',
    ({ keys, messageId }, f) => f.call(keys.coordinator, 'reply_to_inbox_message', { messageId, body: 'Thank you' }),
  ],
  ['the other side wrote again', (scene, f, mongo) => answerByMail(scene, f, mongo, { verdict: 'verified' })],
  [
    'the other side wrote again, signed without a policy',
    (scene, f, mongo) => answerByMail(scene, f, mongo, { verdict: 'signed' }),
  ],
  ['it was marked as done', ({ luis, path }) => luis.submit(`${path}/status`, { act: 'done' })],
  [
    'it was marked as done and opened again',
    async ({ luis, path }) => {
      await luis.submit(`${path}/status`, { act: 'done' })
      await luis.submit(`${path}/status`, { act: 'open-again' })
    },
  ],
  [
    'someone removed it',
    async ({ luis, path }) => {
      const reminder = /name="reminder" value="(\w+)"/.exec((await luis.get(path)).text)?.[1] ?? ''
      await luis.submit(`${path}/reminders/remove`, { reminder })
    },
  ],
]

for (const [title, end] of endings)
  test(`a reminder for when nobody answers does not come after ${title}`, async (t) => {
    const { f, sink, mongo } = t.context
    const scene = await newScene(f, sink)
    const { ana, path, people, workspaceId, untilQuiet } = scene
    await ana.submit(`${path}/reminders`, { day: inDays(2), unanswered: '1' })
    t.regex((await ana.get(path)).text, /Reminder on /)
    await end(scene, f, mongo)
    const isShown = async () => /Reminder on /.test((await ana.get(path)).text)
    const says = title.startsWith('the other side wrote again')
    t.true(await becomesTrue(async () => !(await isShown())))
    t.is(/No reminder on .*: they wrote again, /.test((await ana.get(path)).text), says)
    await beginMorning(mongo, workspaceId)
    await untilQuiet()
    t.is(noticesTo(sink, people.owner).length, 0)
  })

const strangers: [string, Sent][] = [
  ['a stranger who uses the sender’s address', { verdict: 'none' }],
  ['someone whose sender check failed', { verdict: 'fail' }],
  ['a sender who is still being checked', { verdict: undefined }],
  ['a verified stranger', { from: 'Desk <desk@evil.example>', verdict: 'verified' }],
  [
    'a verified stranger who names the sender',
    {
      from: '"desk@clinic.example" <x@evil.example>',
      fields: { 'X-Original-From': 'desk@clinic.example', Sender: 'desk@clinic.example' },
      verdict: 'verified',
    },
  ],
]

test('no mail of a stranger, or of a sender who is still being checked, ends a reminder, and the page says that it came', async (t) => {
  const { f, sink, mongo } = t.context
  const scene = await newScene(f, sink)
  const { ana, path, people, workspaceId } = scene
  await ana.submit(`${path}/reminders`, { day: inDays(2), unanswered: '1' })
  t.false((await ana.get(path)).text.includes('New mail came since'))
  for (const [title, sent] of strangers) {
    await answerByMail(scene, f, mongo, sent)
    const { text } = await ana.get(path)
    t.regex(text, /Reminder on .*only if nobody has answered/, title)
    t.true(text.includes('New mail came since'), title)
  }
  await beginMorning(mongo, workspaceId)
  t.is((await awaitNotices(sink, people.owner, 1)).length, 1)
})

test('a reminder that ended can be set again, comes again, and does not count', async (t) => {
  const { f, sink, mongo } = t.context
  const { ana, luis, path, people, workspaceId, keys, messageId, untilQuiet } = await newScene(f, sink)
  const set = (visitor: Visitor, days: number) =>
    visitor.submit(`${path}/reminders`, { day: inDays(days), unanswered: '1' })
  const rows = mongo.db().collection<{ _id: string; createdAt: Date }>('reminders')
  for (let days = 2; days < 12; days += 1) t.is((await set(ana, days)).status, 303)
  t.regex((await set(ana, 12)).text, /A message can have 10 reminders. Remove one first./)
  const [before] = await rows.find({ workspaceId }).toArray()
  await set(luis, 2)
  t.deepEqual((await rows.findOne({ _id: before?._id ?? '' }))?.createdAt, before?.createdAt, 'nothing to set again')
  await f.call(keys.coordinator, 'reply_to_inbox_message', { messageId, body: 'Thank you' })
  t.notRegex((await ana.get(path)).text, /Reminder on /)
  for (const days of [12, 2]) t.is((await set(luis, days)).status, 303)
  t.is((await ana.get(path)).text.split('Reminder on ').length - 1, 2)
  await rows.deleteMany({ workspaceId, day: { $ne: inDays(2) } } as never)
  for (const count of [1, 2]) {
    await beginMorning(mongo, workspaceId)
    t.is((await awaitNotices(sink, people.owner, count)).length, count)
    await awaitNotices(sink, people.coordinator, count)
    await untilQuiet()
    t.is((await set(ana, 2)).status, 303)
  }
})

test('everyone is reminded when whoever took the message has left the family', async (t) => {
  const { f, sink, mongo } = t.context
  const { luis, path, people, workspaceId } = await newScene(f, sink)
  await luis.submit(`${path}/status`, { act: 'take' })
  await luis.submit(`${path}/reminders`, { day: inDays(2), unanswered: '1' })
  await handOut(mongo, workspaceId)
  await luis.save('/care-circle/leave', {})
  await makeDue(mongo, workspaceId)
  t.is((await awaitNotices(sink, people.owner, 1)).length, 1)
})

test('a reminder without a condition comes although someone answered', async (t) => {
  const { f, sink, mongo } = t.context
  const { ana, path, people, workspaceId, keys, messageId } = await newScene(f, sink)
  await ana.submit(`${path}/reminders`, { day: inDays(2) })
  await f.call(keys.coordinator, 'reply_to_inbox_message', { messageId, body: 'Thank you' })
  await beginMorning(mongo, workspaceId)
  t.is((await awaitNotices(sink, people.owner, 1)).length, 1)
})
