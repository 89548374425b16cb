import test from 'ava'
import { openDatabase } from '../_database.ts'
import { joinFamily } from '../_family.ts'
import { becomesTrue, until } from '../_wait.ts'
import { idOf, inDays, type List, makeDue, newScene, noticesTo } from './_notices.ts'

test('however often inbox is killed, nobody gets a notice twice, and none is lost before its mail is queued', async (t) => {
  await using f = await joinFamily('mortal')
  const { sink } = f
  await using mongo = await openDatabase(f.stack, 'inbox')
  const { ana, path, people, workspaceId, untilQuiet } = await newScene(f, sink)
  const assignee = await idOf(ana, path, 'Luis Almeida')
  await ana.submit(`${path}/reminders`, { day: inDays(2) })
  await ana.submit(`${path}/status`, { act: 'hand-over', assignee, seen: '' })
  await mongo
    .db()
    .collection('reminders')
    .updateMany({ workspaceId }, { $set: { dueAt: new Date(0) } })
  f.stack.kill('inbox')
  await f.stack.waitReady()
  const lists = mongo.db().collection<List>('notice_lists')
  for (let kills = 0; kills < 4; kills += 1) {
    const past = new Date(Date.now() - 1000)
    await lists.updateMany({ workspaceId }, { $set: { dueAt: past, 'notices.$[].dueAt': past } })
    const isBeingWritten = async () => (await lists.countDocuments({ workspaceId, pending: { $exists: true } })) > 0
    await becomesTrue(isBeingWritten, 5000, 5)
    f.stack.kill('inbox')
    await f.stack.waitReady()
  }
  await makeDue(mongo, workspaceId) // what a killed process had claimed, too
  const isDone = async () => (await lists.countDocuments({ workspaceId, 'notices.0': { $exists: true } })) === 0
  await until(async () => {
    const past = new Date(Date.now() - 1000)
    await lists.updateMany(
      { workspaceId, pending: { $exists: false }, 'notices.0': { $exists: true } },
      { $set: { dueAt: past, 'notices.$[].dueAt': past } },
    )
    return isDone()
  })
  const count = (to: string, words: string) =>
    noticesTo(sink, to).filter(({ raw }) =>
      raw.replaceAll('=\r\n', '').split('Content-Type: text/html')[0]?.includes(words),
    ).length
  const told: [string, string][] = [
    [people.coordinator, 'handed you a message'],
    [people.coordinator, 'Reminder about a message'],
    [people.owner, 'Reminder about a message'],
  ]
  const deliveries = mongo.db().collection<{ _id: string; state: string }>('deliveries')
  const notices = { workspaceId, _id: /^notice-/ }
  await untilQuiet()
  const arrived = told.map(([to, words]) => count(to, words))
  t.true(Math.max(...arrived) <= 1, `${arrived}`)
  const given = (await lists.find({ workspaceId }).toArray()).flatMap((list) =>
    list.given.map((id) => id.split('/')[0]),
  )
  t.deepEqual(given.sort(), ['handed-over', 'reminder', 'reminder'], 'nothing was lost on the way to the queue')
  const mails = await deliveries.find(notices).toArray()
  t.true(
    mails.every(({ state }) => state === 'sent' || state === 'unknown'),
    'a mail is never sent twice (docs/decisions/replies.md)',
  )
  if (mails.every(({ state }) => state === 'sent')) t.deepEqual(arrived, [1, 1, 1])
})
