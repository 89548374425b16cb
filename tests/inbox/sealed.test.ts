import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import { BSON, type MongoClient } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { openSealed } from '../_sealed.ts'
import { until } from '../_wait.ts'
import { fill } from '../app/_fill.ts'

const test = anyTest as TestFn<{ f: Guest & { sink: Sink }; mongo: MongoClient }>

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  t.context = { f, mongo: await openDatabase(f.stack, 'inbox') }
})
test.after.always(async (t) => {
  await t.context.mongo?.close()
  await t.context.f?.[Symbol.asyncDispose]()
})

/** What a family wrote and got, as it is in the texts and as the search has it. */
const written = (word: string) => [
  `Dear ${word}`,
  `dear ${word}`,
  `About ${word}`,
  `about ${word}`,
  `scan ${word}`,
  `Inside ${word}`,
  `inside ${word}`,
  `Reply ${word}`,
  `Proposal ${word}`,
  `With a file ${word}`,
  `@Luis ${word}`,
  `${word}.pdf`,
  `%PDF-1.7 ${word}`,
]

test('what a family got and wrote is in no row as it was written, and with its key all of it is', async (t) => {
  const { f, mongo } = t.context
  const family = await f.another({ others: ['coordinator', 'viewer'] })
  const word = `zq${randomText(14)}`
  await fill(f, f.sink, family, word)
  const db = mongo.db()
  const waiting = { workspaceId: family.workspaceId, $or: [{ indexPending: true }, { attachmentTextPending: true }] }
  await until(async () => (await db.collection('messages').countDocuments(waiting)) === 0)
  const rows = await rowsOf(t.context, family.workspaceId)
  const stored = rows.map((row) => Buffer.from(BSON.serialize(row)))
  const seen = (bytes: readonly Buffer[]) => written(word).filter((each) => bytes.some((one) => one.includes(each)))
  t.deepEqual(seen(stored), [])
  const { open } = await openSealed(f.stack, db)
  t.deepEqual(seen(rows.map((row) => Buffer.from(BSON.serialize(open(row))))), written(word))
})

/** Of every collection of inbox. */
async function rowsOf({ mongo }: { mongo: MongoClient }, workspaceId: string) {
  const db = mongo.db()
  const theirs = { $or: [{ workspaceId }, { _id: { $gte: `${workspaceId}/`, $lt: `${workspaceId}0` } }] } as object
  const collections = await db.listCollections({ type: 'collection' }).toArray()
  const found = await Promise.all(collections.map(({ name }) => db.collection(name).find(theirs).toArray()))
  return found.flat()
}
