import test from 'ava'
import { becomesTrue } from '../_wait.ts'
import { ALARM, FIRST_WRITE, NEW_NETWORK, newScene } from './_alarms.ts'
import { awaitMails, leaseWorld, mailsAbout } from './_assistants.ts'

test('however often auth is killed, each alarm is sent, once', async (t) => {
  await using world = await leaseWorld()
  const { f, sink } = world
  const { people, keys, keyOf, write, callFrom, rows, untilQuiet } = await newScene(world, 'coordinator')
  await callFrom(keys.coordinator, '203.0.113.5')
  await f.stack.pause('nats-server') // so that both are marked, and neither was sent
  await Promise.all([write(keys.coordinator), callFrom(keys.coordinator, '198.51.100.9')])
  const { _id, alarms = {} } = await keyOf(people.coordinator)
  f.stack.kill('auth')
  f.stack.resume('nats-server')
  t.deepEqual(Object.keys(alarms).sort(), ['first_write', 'new_network'])
  await f.stack.waitReady()
  let claimed = 0
  for (let kills = 0; kills < 4; kills += 1) {
    // As a crash leaves it that was faster than the last step.
    await rows.updateOne({ _id }, { $set: { alarms, alarmDueAt: new Date(Date.now() - 1) } })
    const isClaimed = async () => ((await rows.findOne({ _id }))?.alarmDueAt?.getTime() ?? 0) > Date.now()
    await becomesTrue(isClaimed, 4000, 2)
    claimed += Number(await isClaimed())
    f.stack.kill('auth')
    await f.stack.waitReady()
  }
  t.true(claimed > 0, 'killed while it was sending')
  await rows.updateOne({ _id }, { $set: { alarms, alarmDueAt: new Date(Date.now() - 1) } })
  t.true(await becomesTrue(async () => (await rows.findOne({ _id }))?.alarmDueAt === undefined))
  for (const to of [people.coordinator, people.owner])
    for (const subject of [FIRST_WRITE, NEW_NETWORK]) await awaitMails(sink, to, subject)
  await untilQuiet()
  for (const to of [people.coordinator, people.owner]) t.is(mailsAbout(sink, to, ALARM).length, 2)
})
