import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import type { Document, MongoClient } from 'mongodb'
import { databaseName, openDatabase } from '../_database.ts'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { codesTo, signIn, Visitor } from '../_visitor.ts'
import { becomesTrue } from '../_wait.ts'
import { ops } from '../event-pipe/_ops.ts'

const test = anyTest.serial as TestFn<{ f: Guest & { sink: Sink }; mongo: MongoClient }>
const CODE = '40718265'
const DAY_MS = 86_400_000

test.before(async (t) => {
  const f = await joinFamily()
  t.context = { f, mongo: await openDatabase(f.stack) }
})
test.after.always(async (t) => {
  await t.context.mongo?.close()
  await t.context.f?.[Symbol.asyncDispose]()
})

async function review({ f }: { f: Guest }, code = CODE) {
  const email = `review-${randomText(8)}@example.org`
  const { json, stderr } = await ops(f.stack, ['demo', 'review', email], { REVIEW_CODE: code })
  return { email, family: json, stderr }
}

async function enter(f: Guest, email: string, codes: string[]) {
  const visitor = new Visitor(f)
  await visitor.submit('/sign-in', { email, return_to: '/' })
  const answers = []
  for (const code of codes) answers.push(await visitor.submit('/sign-in/code', { code }))
  return { visitor, answers }
}

test('a reviewer signs in with the code of the operator, each time, and finds a family with mail', async (t) => {
  const { f } = t.context
  const { email, family } = await review(t.context)
  t.is(family.lovedOnes.length, 2)
  const days = (Date.parse(family.endsAt) - Date.now()) / DAY_MS
  t.true(days > 29 && days <= 30)
  for (const typed of [CODE, '4071 8265']) {
    const { visitor, answers } = await enter(f, email, [typed])
    t.is(answers[0]?.status, 303)
    const page = await visitor.get('/')
    t.is(page.status, 200)
    t.true(page.text.includes('Rosa Almeida'))
  }
  t.is(codesTo(f.sink, email).length, 0, 'no code is mailed')
})

test('the code signs in nobody else, and the fifth wrong try ends the sign-in', async (t) => {
  const { f } = t.context
  const { email } = await review(t.context)
  const other = await enter(f, f.family.people.owner, [CODE])
  t.is(other.answers[0]?.status, 422)
  const { answers, visitor } = await enter(f, email, ['00000000', '00000001', '00000002', '00000003', '00000004', CODE])
  t.true(answers.every(({ status }) => status !== 303))
  t.is((await visitor.get('/')).status, 303, 'not signed in')
})

test('after 30 days the code stops, and the account and its family are gone', async (t) => {
  const { f, mongo } = t.context
  const { email, family } = await review(t.context)
  const { visitor } = await enter(f, email, [CODE])
  const people = mongo.db(databaseName(f.stack, 'auth')).collection<Document & { _id: string }>('people')
  const person = await people.findOne({ email })
  await people.updateOne({ email }, { $set: { endsAt: new Date() } })
  t.true(await becomesTrue(async () => (await people.findOne({ _id: person?._id ?? '' })) === null))
  t.is((await visitor.get('/')).status, 303, 'signed out')
  const careCircle = mongo.db(databaseName(f.stack, 'care-circle'))
  t.is(await careCircle.collection('workspaces').countDocuments({ _id: family.workspaceId }), 0)
  const messages = mongo.db(databaseName(f.stack, 'inbox')).collection('messages')
  t.true(await becomesTrue(async () => (await messages.countDocuments({ workspaceId: family.workspaceId })) === 0))
  const newcomer = await signIn(f, f.sink, email)
  t.false((await newcomer.get('/')).text.includes('Rosa Almeida'), 'the address is a stranger’s again')
  t.is((await f.call(f.family.keys.owner, 'ping')).status, 200)
})

test('a reviewer’s code is eight digits, and nobody’s account becomes a reviewer’s', async (t) => {
  const { f } = t.context
  for (const code of ['1234567', '123456789', 'abcdefgh', '1234 567', '٤٠٧١٨٢٦٥'])
    t.regex((await review(t.context, code)).stderr, /eight digits/, code)
  const unset = await ops(f.stack, ['demo', 'review', 'review@example.org'])
  t.regex(unset.stderr, /REVIEW_CODE/)
  const taken = await ops(f.stack, ['demo', 'review', f.family.people.owner], { REVIEW_CODE: CODE })
  t.regex(taken.stderr, /already exists/)
})
