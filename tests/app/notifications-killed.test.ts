import test from 'ava'
import { openDatabase } from '../_database.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { joinFamily } from '../_family.ts'
import { becomesTrue } from '../_wait.ts'
import { ask, deliver, notificationsTo, type Setting } from './_notifications.ts'

test('a notification is sent at most once, however often the service is killed', async (t) => {
  await using f = await joinFamily('mortal')
  const { sink } = f
  await using mongo = await openDatabase(f.stack, 'inbox')
  const { people, lovedOnes, workspaceId } = f.family
  const everyone = [people.owner, people.coordinator, people.viewer]
  for (const email of everyone) await ask(f, sink, email, 'each')
  await deliver(f, lovedOnes[0]?.inboxAddress ?? '', 'Once')
  const settings = mongo.db().collection<Setting>('notification_settings')
  const isBeingWritten = async () =>
    (await settings.countDocuments({ workspaceId, pendingUpTo: { $exists: true } })) > 0
  for (let kills = 0; kills < 3; kills += 1) {
    await becomesTrue(isBeingWritten, 5000, 5)
    f.stack.kill('inbox')
    await f.stack.waitReady()
  }
  await untilNoMailIsDue(f.stack, workspaceId)
  for (const email of everyone)
    t.true(notificationsTo(sink, email).length <= 1, `${notificationsTo(sink, email).length}`)
  t.true(everyone.some((email) => notificationsTo(sink, email).length === 1))
})
