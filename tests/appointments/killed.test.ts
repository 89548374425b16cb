import { setTimeout as sleep } from 'node:timers/promises'
import anyTest, { type TestFn } from 'ava'
import type { Db, MongoClient } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Family, startFamily } from '../_family.ts'
import { type Sink, startMailSink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { basic, inDays, invitation, newUid } from './_invitations.ts'

const test = (anyTest as TestFn<{ f: Family; sink: Sink; mongo: MongoClient; careCircle: Db }>).serial

const MAILS = 12

test.before(async ({ context }) => {
  context.sink = await startMailSink()
  context.f = await startFamily({ separate: ['inbox', 'care-circle'], env: { SMTP_URL: context.sink.url } })
  context.mongo = await openDatabase(context.f.stack, 'care-circle')
  context.careCircle = context.mongo.db()
})
test.after.always(async ({ context }) => {
  await context.mongo?.close()
  await context.f?.[Symbol.asyncDispose]()
  await context.sink?.[Symbol.asyncDispose]()
})

test('each invitation is in the calendar once, however often inbox and care-circle are killed in between', async (t) => {
  const { f, careCircle } = t.context
  const [rosa] = f.family.lovedOnes
  const uids = Array.from({ length: MAILS }, newUid)
  const killing = killInTurn(f)
  for (const [index, uid] of uids.entries()) {
    const words = { uid, summary: `Visit ${index}`, start: basic(inDays(index + 1)) }
    await openMailer(f.stack).deliver(rosa?.inboxAddress ?? '', invitation(words))
    await sleep(200)
  }
  await killing
  const { workspaceId } = f.family
  const rows = () => careCircle.collection('appointments').find({ workspaceId }).toArray()
  const found = await readUntil(rows, (all) => all.length >= MAILS)
  await untilNoMailIsDue(f.stack, workspaceId)
  t.is((await rows()).length, MAILS)
  t.deepEqual(
    found.map(({ occurrences }) => occurrences.length),
    uids.map(() => 1),
  )
})

test('a member’s change is mailed once to each of the others, however often care-circle is killed', async (t) => {
  const { f, sink } = t.context
  await f.stack.waitReady()
  const { owner: ana, coordinator: luis } = f.family.people
  const [owner, coordinator] = [await signIn(f, sink, ana), await signIn(f, sink, luis)]
  const words = { for: f.family.lovedOnes[1]?.id ?? '', title: 'Walk', place: '', time: '10:20', length: '30' }
  const day = (days: number) => inDays(days).toISOString().slice(0, 10)
  const added = await owner.submit('/appointments/new', { ...words, message: '', day: day(9), request: newUid() })
  const path = String(added.headers.location)
  for (const member of [owner, coordinator]) await member.submit(`${path}/going`, { going: 'yes' })
  const notices = () =>
    sink.mails.filter(({ headers }) => /An appointment for Jorge Almeida changed/.test(headers)).flatMap(({ to }) => to)
  for (const [nth, wait] of [0, 300, 1500].entries()) {
    const { text } = await owner.get(`${path}/change`)
    const version = /name="version" value="(\d+)"/.exec(text)?.[1] ?? ''
    const changed = await owner.submit(`${path}/change`, { ...words, day: day(10 + nth), version })
    t.is(changed.status, 303)
    await sleep(wait)
    f.stack.kill('care-circle')
    await f.stack.waitReady()
    await readUntil(
      async () => notices().length,
      (count) => count > nth,
    )
  }
  await untilNoMailIsDue(f.stack, f.family.workspaceId)
  t.deepEqual(notices(), [luis, luis, luis])
})

/** The stack restarts a process that dies. */
async function killInTurn({ stack }: Family): Promise<void> {
  for (const service of ['inbox', 'care-circle', 'inbox', 'care-circle'] as const) {
    await sleep(800)
    stack.kill(service)
    await stack.waitReady()
  }
}
