import { setTimeout as sleep } from 'node:timers/promises'
import { Outcome } from '@family-inbox/proto/auth/v1/auth'
import test from 'ava'
import { openDatabase } from '../_database.ts'
import { type Answer, joinFamily } from '../_family.ts'
import { createRandom, scaled } from '../_random.ts'
import type { LeasedStack } from '../_shared-stack.ts'
import { foundWorkspace, type ToolKey } from '../_workspace.ts'

test('while auth is being killed, every answered call has exactly one record', async (t) => {
  const random = createRandom()
  t.log(`TEST_SEED=${random.seed}`)
  await using f = await joinFamily('mortal')
  using household = await foundWorkspace(f.stack)
  await using audited = await openDatabase(f.stack, 'auth')
  const entries = audited.db().collection<{ credentialId: string; outcome: Outcome }>('audit_entries')
  const keys = await Promise.all(Array.from({ length: 8 }, () => household.owner.mintKey()))
  const each = scaled(25, 60)
  const auth = f.stack.pid('auth')
  const killing = killAuth(f.stack, random)
  const client = async ({ secret }: ToolKey) => {
    const answers: Answer[] = []
    for (let id = 0; id < each; id += 1) {
      answers.push(await f.call(secret, 'ping', {}, id))
      await sleep(random.between(0, 100))
    }
    return answers
  }
  const answers = await Promise.all(keys.map(client))
  await killing
  for (const [index, key] of keys.entries()) {
    const rows = await entries.find({ credentialId: key.id }).toArray()
    const good = answers[index]?.filter(({ json }) => json?.result !== undefined).length ?? 0
    const ok = rows.filter(({ outcome }) => outcome === Outcome.OK).length
    t.true(ok >= good, `${good} calls were answered and ${ok} are on record`)
    t.true(rows.length <= each)
    t.true(good > 0)
  }
  const all = answers.flat()
  t.true(all.every(({ json }) => json.result !== undefined || json.error.code === -32_603))
  t.not(f.stack.pid('auth'), auth, 'it was killed')
})

async function killAuth(stack: LeasedStack, random: ReturnType<typeof createRandom>) {
  for (let kills = 0; kills < 2; kills += 1) {
    await sleep(random.between(100, 600))
    stack.kill('auth')
    await stack.waitReady()
  }
}
