import test from 'ava'
import { becomesTrue } from '../_wait.ts'
import { leaseWorld, mailsAbout } from './_assistants.ts'
import { newScene, SUMMARY } from './_weekly-summary.ts'

test('however often inbox is killed, a summary is sent, and once', async (t) => {
  await using world = await leaseWorld({ withMail: true })
  const { f, sink } = world
  const { people, keys, choose, read, rows, mine, letPass, isOver } = await newScene(world, 'coordinator')
  for (const email of [people.owner, people.coordinator]) await choose(email)
  await read(keys.coordinator)
  await letPass()
  for (let kills = 0; kills < 4; kills += 1) {
    await rows.updateMany(kills === 0 ? mine : { ...mine, summaryUpTo: { $exists: true } }, {
      $set: { summaryDueAt: new Date(Date.now() - 1) },
    })
    const isBeingWritten = async () => (await rows.countDocuments({ ...mine, summaryUpTo: { $exists: true } })) > 0
    await becomesTrue(isBeingWritten, 5000, 5)
    f.stack.kill('inbox')
    await f.stack.waitReady()
  }
  const inProgress = { ...mine, $or: [{ summaryUpTo: { $exists: true } }, { summaryDueAt: { $lte: new Date() } }] }
  await rows.updateMany(inProgress, { $set: { summaryDueAt: new Date(Date.now() - 1) } })
  await isOver()
  const deliveries = world.inbox.collection<{ _id: string; state: string }>('deliveries')
  const { workspaceId } = (await rows.findOne(mine)) ?? {}
  const mails = await deliveries.find({ workspaceId, _id: /^summary-/ } as never).toArray()
  t.is(mails.length, 2, 'none was lost on the way to the queue')
  for (const email of [people.owner, people.coordinator]) {
    const count = mailsAbout(sink, email, SUMMARY).length
    // A mail that was being sent at a kill is never sent again (docs/decisions/replies.md).
    t.true(count === 1 || (count === 0 && mails.some(({ state }) => state === 'unknown')), `${count}`)
  }
})
