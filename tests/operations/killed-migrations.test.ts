import type { Stack } from '@family-inbox/local-stack/run-stack'
import { startStack } from '@family-inbox/local-stack/stack'
import anyTest, { type TestFn } from 'ava'
import { createRandom, scaled } from '../_random.ts'
import { killMigrations } from './_killed-migrations.ts'

const test = anyTest as TestFn<Stack>

test.before(async (t) => {
  t.context = await startStack({ services: [], ownMongod: true })
})
test.after.always((t) => (t.context as Partial<Stack>)[Symbol.asyncDispose]?.())

test('inbox’s migrations that are killed at random moments are finished by the next start', async (t) => {
  const random = createRandom()
  t.log(`TEST_SEED=${random.seed}`)
  const { kills, wrong } = await killMigrations(t.context.mongoUri, scaled(6, 20), random)
  t.log(`${kills} killed`)
  t.deepEqual(wrong, [])
  t.true(kills > 0, 'each was done before it was killed')
})
