import anyTest, { type TestFn } from 'ava'
import type { MongoClient } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Guest, joinFamily, send } from '../_family.ts'
import type { SunkMail } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { becomesTrue } from '../_wait.ts'
import { callTool, mintKey } from '../outgoing-mail/_approval.ts'
import type { Sink } from './_app.ts'
import { ask, deliver, notificationsTo, type Setting } from './_notifications.ts'

const test = anyTest as TestFn<{ f: Guest; sink: Sink; mongo: MongoClient }>

test.before(async (t) => {
  const f = await joinFamily('quick')
  t.context = { f, sink: f.sink, mongo: await openDatabase(f.stack, 'inbox') }
})
test.after.always(async (t) => {
  const { f, mongo } = t.context
  await mongo?.close()
  await f?.[Symbol.asyncDispose]()
})

async function awaitNotifications(sink: Sink, to: string, count: number): Promise<SunkMail[]> {
  await becomesTrue(async () => notificationsTo(sink, to).length >= count)
  return notificationsTo(sink, to)
}

test('only people who opted in get one notification for several messages, without their content', async (t) => {
  const { f, sink, mongo } = t.context
  const { people, lovedOnes, workspaceId } = await f.another({ others: ['viewer'] })
  const visitor = await ask(f, sink, people.viewer, 'each')
  // However slowly the mail comes, all of it comes within the delay.
  const settings = mongo.db().collection<Setting>('notification_settings')
  const due = (dueAt: Date) => settings.updateMany({ workspaceId, mode: 'each' }, { $set: { dueAt } })
  await due(new Date(Date.now() + 3_600_000))
  t.true((await visitor.get('/settings/notifications')).text.includes('value="each" checked'))
  const [rosa, jorge] = lovedOnes
  for (const number of [1, 2, 3]) await deliver(f, rosa?.inboxAddress ?? '', `Potassium ${number}`)
  await deliver(f, jorge?.inboxAddress ?? '', 'Potassium 4')
  const messages = mongo.db().collection('messages')
  await becomesTrue(async () => (await messages.countDocuments({ workspaceId, indexPending: { $ne: true } })) === 4)
  // Here a notification ends one second before it is sent, so that mail on its way to the disk is in the next one.
  await due(new Date(Date.now() + 1500))
  const [notification] = await awaitNotifications(sink, people.viewer, 1)
  await untilNoMailIsDue(f.stack, workspaceId)
  t.is(notificationsTo(sink, people.viewer).length, 1)
  t.is(notificationsTo(sink, people.owner).length, 0)
  const { headers = '', raw = '' } = notification ?? {}
  t.regex(headers, /^Subject: 4 new messages for Rosa Almeida and Jorge Almeida$/m)
  t.regex(headers, /^Auto-Submitted: auto-generated$/m)
  t.regex(headers, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m)
  t.regex(headers, new RegExp(`^List-Unsubscribe: <${f.stack.inboxUrl}/unsubscribe/[0-9a-z]{32}>$`, 'm'))
  t.true(raw.includes('Rosa Almeida: 3 new messages'))
  for (const word of ['Potassium', 'clinic', 'Desk']) t.false(raw.includes(word), word)
})

test('forwarded notifications and automatic replies trigger no notification', async (t) => {
  const { f, sink, mongo } = t.context
  const { people, lovedOnes, workspaceId } = await f.another({ others: ['viewer'] })
  await ask(f, sink, people.viewer, 'each')
  const address = lovedOnes[0]?.inboxAddress ?? ''
  await deliver(f, address, 'First')
  const [notification] = await awaitNotifications(sink, people.viewer, 1)
  await openMailer(f.stack).deliver(address, notification?.raw ?? '')
  await deliver(f, address, 'Out of office', { 'Auto-Submitted': 'auto-replied' })
  await deliver(f, address, 'Fwd: 1 new message for Rosa Almeida', { From: 'Care <care@family-inbox.test>' })
  await untilNoMailIsDue(f.stack, workspaceId)
  // What comes within the pause after a notification waits for its end.
  const settings = await mongo.db().collection<Setting>('notification_settings').find({ workspaceId }).toArray()
  t.true(settings.every(({ notifiedUpTo, lastArrivalAt }) => Number(notifiedUpTo) >= Number(lastArrivalAt ?? 0)))
  t.is(notificationsTo(sink, people.viewer).length, 1)
})

test('one-click unsubscribe needs a POST; opening the link changes nothing, and an unknown link gets the same response', async (t) => {
  const { f, sink } = t.context
  const { people, lovedOnes } = await f.another({ others: ['coordinator'] })
  const visitor = await ask(f, sink, people.coordinator, 'each')
  await deliver(f, lovedOnes[0]?.inboxAddress ?? '', 'First')
  const [notification] = await awaitNotifications(sink, people.coordinator, 1)
  const url = /^List-Unsubscribe: <(.+)>$/m.exec(notification?.headers ?? '')?.[1] ?? ''
  const page = await send(url, { headers: { accept: 'text/html' } })
  t.is(page.status, 200)
  t.true((await visitor.get('/settings/notifications')).text.includes('value="each" checked'))
  const post = (to: string) =>
    send(to, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    })
  const done = await post(url)
  const nowhere = await post(url.replace(/.{8}$/, '00000000'))
  t.is(done.status, 200)
  t.is(nowhere.text, done.text)
  t.true((await visitor.get('/settings/notifications')).text.includes('value="none" checked'))
})

test('a daily summary is sent once a day at eight local time, and only if there is new mail', async (t) => {
  const { f, sink, mongo } = t.context
  const { workspaceId, people, lovedOnes } = await f.another({ others: ['viewer'] })
  await ask(f, sink, people.owner, 'digest', 'Asia/Kolkata')
  await ask(f, sink, people.viewer, 'digest', 'Asia/Kolkata')
  const settings = mongo.db().collection<Setting>('notification_settings')
  const mine = { _id: { $regex: `^${workspaceId}/` }, mode: 'digest' }
  const [setting] = await settings.find(mine).toArray()
  t.is(setting?.dueAt?.toISOString().slice(11, 16), '02:30', 'eight in Kolkata')
  await deliver(f, lovedOnes[0]?.inboxAddress ?? '', 'News')
  // A summary covers messages up to 12 seconds before it is due.
  const [hour, minute] = [3_600_000, 60_000].map((ms) => new Date(Date.now() - ms))
  await settings.updateMany(mine, { $set: { notifiedUpTo: hour } })
  await mongo
    .db()
    .collection('messages')
    .updateMany({ workspaceId }, { $set: { receivedAt: minute } })
  // Makes both summaries due now.
  const morning = () => settings.updateMany(mine, { $set: { dueAt: new Date(Date.now() - 1) } })
  await morning()
  const [digest] = await awaitNotifications(sink, people.owner, 1)
  t.regex(digest?.headers ?? '', /^Subject: 1 new message for Rosa Almeida$/m)
  t.regex(digest?.raw ?? '', /daily summary/)
  await untilNoMailIsDue(f.stack, workspaceId)
  t.is(notificationsTo(sink, people.viewer).length, 1)
  await morning()
  await untilNoMailIsDue(f.stack, workspaceId)
  t.is(notificationsTo(sink, people.owner).length, 1, 'no new mail, no summary')
  t.is(notificationsTo(sink, people.viewer).length, 1)
  const after = await settings.find(mine).toArray()
  t.true(after.every(({ dueAt }) => (dueAt?.getTime() ?? 0) > Date.now() + 60_000))
})

test('an invitation that waits for approval is announced to whoever may send it, without the address', async (t) => {
  const { f, sink } = t.context
  const { people, workspaceId } = await f.another({ others: ['viewer'] })
  const owner = await ask(f, sink, people.owner, 'each')
  await ask(f, sink, people.viewer, 'each')
  const email = `aunt-${workspaceId.toLowerCase()}@example.org`
  const args = { email, role: 'viewer', message: 'Come and see us' }
  const { data } = await callTool(f, await mintKey(owner, 'approval'), 'invite_family_member', args)
  t.is(data.status, 'waiting_for_approval')
  await untilNoMailIsDue(f.stack, workspaceId)
  const mailsTo = (to: string) =>
    sink.mails.filter((one) => one.to.includes(to) && /waiting for approval/.test(one.headers))
  t.is(mailsTo(people.owner).length, 1)
  t.is(mailsTo(people.viewer).length, 0)
  t.false(mailsTo(people.owner)[0]?.raw.includes(email))
})

test('former members get no notifications', async (t) => {
  const { f, sink, mongo } = t.context
  const { people, lovedOnes, keys, workspaceId } = await f.another({ others: ['viewer'] })
  const viewer = await ask(f, sink, people.viewer, 'each')
  await ask(f, sink, people.owner, 'each')
  await viewer.save('/care-circle/leave', {})
  const refused = await f.call(keys.viewer, 'list_loved_ones')
  t.true(refused.status === 401 || refused.json.result.isError, 'their key ends with their membership')
  await deliver(f, lovedOnes[0]?.inboxAddress ?? '', 'After')
  await awaitNotifications(sink, people.owner, 1)
  await untilNoMailIsDue(f.stack, workspaceId)
  t.is(notificationsTo(sink, people.viewer).length, 0)
  const left = await mongo.db().collection<Setting>('notification_settings').find({ workspaceId }).toArray()
  t.is(left.length, 1)
})
