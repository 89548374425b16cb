import { setTimeout as sleep } from 'node:timers/promises'
import anyTest, { type TestFn } from 'ava'
import { type Db, MongoClient } from 'mongodb'
import { type Family, startFamily } from '../_family.ts'
import { openMailer } from '../_mailer.ts'
import { until } from './_calendar.ts'
import { basic, inDays, invitation, newUid } from './_invitations.ts'

const test = (anyTest as TestFn<{ f: Family; mongo: MongoClient; careCircle: Db }>).serial

const MAILS = 12

test.before(async ({ context }) => {
  context.f = await startFamily({ separate: ['inbox', 'care-circle'] })
  context.mongo = await new MongoClient(context.f.stack.databaseUri('care-circle')).connect()
  context.careCircle = context.mongo.db()
})
test.after.always(async ({ context }) => {
  await context.mongo?.close()
  await context.f?.[Symbol.asyncDispose]()
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
  const found = await until(rows, (all) => all.length >= MAILS)
  await sleep(3000)
  t.is((await rows()).length, MAILS)
  t.deepEqual(
    found.map(({ occurrences }) => occurrences.length),
    uids.map(() => 1),
  )
})

/** The stack restarts a process that dies. */
async function killInTurn({ stack }: Family): Promise<void> {
  for (const service of ['inbox', 'care-circle', 'inbox', 'care-circle'] as const) {
    await sleep(800)
    stack.kill(service)
    await stack.waitReady()
  }
}
