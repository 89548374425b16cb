import anyTest, { type TestFn } from 'ava'
import {
  type Household,
  makeOlder,
  NEWEST,
  run,
  schemaVersion,
  setVersion,
  startHousehold,
  statusOf,
  versionIn,
} from './_older-data.ts'

const test = anyTest.serial as TestFn<Household>

test.before(async (t) => {
  t.context = await startHousehold()
})
test.after.always(({ context }) => context[Symbol.asyncDispose]?.())

test('a new server, and one whose data is of its own version, make no backup before they start', async (t) => {
  t.notRegex(await run(t.context), /Making a backup/)
  t.is((await statusOf(t.context)).beforeMigration, undefined)
})

test('data of a newer version is refused at once, in one sentence', async (t) => {
  const { context } = t
  await setVersion(context, NEWEST + 1)
  const refused = await context.start()
  t.is(await refused.ended(), 78)
  const [starting, sentence, ...more] = refused.output().trim().split('\n')
  t.regex(starting ?? '', /^Starting /)
  t.regex(
    sentence ?? '',
    /newer version \(inbox has schema version \d+, and this version supports up to \d+\): start the/,
  )
  t.deepEqual(more, [])
  await setVersion(context, NEWEST)
})

test('data of an older version is backed up before it is migrated, as it was', async (t) => {
  const { context } = t
  await makeOlder(context)
  const output = await run(context)
  t.regex(output, /of an older version\. Making a backup[\s\S]*\nMade \/.*\.age\. It is kept[\s\S]*^ready in/m)
  const { beforeMigration } = await statusOf(context)
  t.is(await versionIn(context, beforeMigration.file), NEWEST - 1)
  t.is(await schemaVersion(context), NEWEST)
  t.notRegex(await run(context), /Making a backup/)
})
