import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startStack } from '@family-inbox/local-stack/stack'
import anyTest, { type TestFn } from 'ava'
import { createRandom } from '../_random.ts'
import { canMount, mountSmallDisk } from '../promises/_small-disk.ts'
import {
  backup,
  backupsIn,
  type Household,
  makeOlder,
  NEWEST,
  run,
  schemaVersion,
  startHousehold,
  statusOf,
  versionIn,
} from './_older-data.ts'

const test = anyTest.serial as TestFn<Household>
const onDisk = (await canMount()) ? test : test.skip

test.before(async (t) => {
  t.context = await startHousehold()
})
test.after.always(({ context }) => context[Symbol.asyncDispose]?.())

test('the backup from before a migration stays beside those of the nights', async (t) => {
  const { context } = t
  await makeOlder(context)
  await run(context)
  const { beforeMigration } = await statusOf(context)
  await using _services = await startStack({ services: [], dataDir: context.dataDir })
  for (let times = 0; times < 2; times += 1) {
    await sleep(1000) // their names are to the second
    await backup(context, 'nightly')
  }
  t.is((await backupsIn(context)).length, 2, 'of one day the last one, and the one before the migration')
  t.is(await versionIn(context, beforeMigration.file), NEWEST - 1)
})

const MOMENTS = { soon: [0, 1500], later: [1500, 4000] } as const

for (const [moment, [from, to]] of Object.entries(MOMENTS))
  test(`killed ${moment} after it began, the next start finishes, with a backup of the older data`, async (t) => {
    const { context } = t
    const random = createRandom()
    t.log(`TEST_SEED=${random.seed}`)
    await makeOlder(context)
    const killed = await context.start()
    await sleep(random.between(from, to))
    killed.kill()
    await killed.ended()
    t.log(killed.output().trim().split('\n').at(-1) ?? '')
    await run(context)
    const { beforeMigration } = await statusOf(context)
    t.is(await versionIn(context, beforeMigration.file), NEWEST - 1)
    t.is(await schemaVersion(context), NEWEST)
    const left = await readdir(join(context.dataDir, 'backups'))
    t.deepEqual(
      left.filter((name) => !/^(?:\d.*\.age|workspace-keys\.tar\.gz\.age|status\.json)$/.test(name)),
      [],
    )
  })

onDisk('with a full disk nothing is migrated, and the start says in a sentence what to do', async (t) => {
  const { context } = t
  await makeOlder(context)
  const full = join(context.dir, 'full')
  await mkdir(full)
  await using disk = await mountSmallDisk(full, 1)
  await disk.fill()
  const refused = await context.start({ BACKUP_DIR: full })
  t.is(await refused.ended(), 78)
  t.regex(
    refused.output(),
    /\nThis data must be migrated, and the backup before it failed \(ENOSPC.*\): make space in \/.*\/full, or .* start again; .*\n$/,
  )
  t.is(await schemaVersion(context), NEWEST - 1)
  await disk.free()
  t.regex(await run(context), /Making a backup/)
  t.is(await schemaVersion(context), NEWEST)
})

test('without backups the data is migrated without one', async (t) => {
  await makeOlder(t.context)
  t.notRegex(await run(t.context, { BACKUPS: 'off' }), /Making a backup/)
  t.is(await schemaVersion(t.context), NEWEST)
})
