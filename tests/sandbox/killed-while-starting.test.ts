import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest from 'ava'
import { becomesTrue } from '../_wait.ts'
import { recordsOf } from './_records.ts'
import { request, type Sandboxes, startSandboxes } from './_sandbox.ts'

const test = anyTest.serial

let s: Sandboxes

test.before(async () => {
  s = await startSandboxes(['care-circle', 'inbox', 'sandbox'], { separate: ['sandbox', 'inbox'], ownMongod: true })
})
test.after.always(() => s?.[Symbol.asyncDispose]())

for (const victim of ['sandbox', 'mongod'] as const)
  test(`when ${victim} is killed during starts, each sandbox is complete or gone`, async (t) => {
    const rows = s.rows('sandbox', 'sandboxes')
    const starts = startMany(8)
    t.true(await becomesTrue(async () => starts.answered.length > 20, 30_000))
    while ((await rows.countDocuments({ state: 'creating' })) === 0) {}
    s.stack.kill(victim)
    await starts.stop()
    await s.stack.waitReady()
    t.true(await becomesTrue(async () => (await rows.countDocuments().catch(() => 0)) > 0, 30_000))
    t.log(`${starts.answered.length} answered, ${await rows.countDocuments({ state: 'creating' })} half created`)

    // A half created one is due when no call for it can be in flight any more.
    const unsettled = () => rows.countDocuments({ state: { $in: ['creating', 'removing'] } })
    t.true(await becomesTrue(async () => (await unsettled()) === 0, 60_000))
    for (const workspaceId of starts.answered)
      t.like(await recordsOf(s, workspaceId), { workspaces: 1, members: 1, lovedOnes: 1, addresses: 1, sandboxes: 1 })
    const stillOpen = new Set((await rows.find({ state: 'open' }).toArray()).map(({ _id }) => _id))
    for (const { _id } of await s.rows('care-circle', 'workspaces').find({ sandbox: true }).toArray())
      t.true(stillOpen.has(_id))
    const inUse = { removedAt: { $exists: false } }
    for (const { workspaceId } of await s.rows('inbox', 'inbox_addresses').find(inUse).toArray())
      t.true(stillOpen.has(workspaceId))
  })

test('of a thousand simultaneous starts some are asked to try again, and the others are complete', async (t) => {
  const outcomes = await Promise.allSettled(Array.from({ length: 1000 }, () => open()))
  const served = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.workspaceId] : []))
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as StatusError] : []))
  t.log(`${served.length} served`)
  t.true(served.length >= 100)
  t.deepEqual([...new Set(refused.map(({ status }) => status))], ['UNAVAILABLE'])
  const rows = s.rows('sandbox', 'sandboxes')
  t.is(await rows.countDocuments({ _id: { $in: served }, state: 'open' }), served.length)
  t.like(await recordsOf(s, String(served[0])), { workspaces: 1, members: 1, lovedOnes: 1, addresses: 1 })
})

const open = () => s.sandbox.startWorkspace(request(), { deadline: Date.now() + 5000 })

/** Starts workspaces in parallel lanes until stopped. */
function startMany(lanes: number) {
  const answered: string[] = []
  let isOver = false
  const starters = Array.from({ length: lanes }, async () => {
    while (!isOver)
      await open().then(
        ({ workspaceId }) => answered.push(workspaceId),
        () => {},
      )
  })
  return {
    answered,
    async stop() {
      isOver = true
      await Promise.all(starters)
    },
  }
}
