import { setTimeout as sleep } from 'node:timers/promises'
import { connectApplication, signIn } from '../_visitor.ts'
import { becomesTrue } from '../_wait.ts'
import { ALARM, BURST, FIRST_WRITE, NEW_NETWORK, newScene } from './_alarms.ts'
import { awaitMails, leaseWorld, mailsAbout, openWorld, textOf } from './_assistants.ts'
import { lookForBursts, startSecondSender } from './_second-sender.ts'

const test = openWorld()

/** As a burst is found: more than ten writes. */
const WRITES_OF_BURST = 11

test('the first time a key writes, its person and the owner hear of it once, with where to pause it', async (t) => {
  const { f, sink } = t.context
  const { people, keys, keyOf, write, lovedOnes, untilQuiet } = await newScene(t.context, 'coordinator', 'viewer')
  await f.call(keys.coordinator, 'list_loved_ones')
  const answers = await Promise.all(Array.from({ length: 5 }, () => write(keys.coordinator)))
  t.true(answers.every(({ json }) => json.result.structuredContent !== undefined))
  const [own] = await awaitMails(sink, people.coordinator, FIRST_WRITE)
  const [owners] = await awaitMails(sink, people.owner, FIRST_WRITE)
  await write(keys.coordinator)
  await write(keys.owner)
  await awaitMails(sink, people.owner, FIRST_WRITE, 2)
  await untilQuiet()
  t.is(mailsAbout(sink, people.coordinator, ALARM).length, 1)
  t.is(mailsAbout(sink, people.owner, ALARM).length, 2, 'one about each key')
  t.is(mailsAbout(sink, people.viewer, ALARM).length, 0)
  const { _id } = await keyOf(people.coordinator)
  t.regex(textOf(own), /“Demo key”, your assistant in The Almeida family, wrote for the first time: it created a code/)
  t.true(textOf(own).includes(`${f.stack.inboxUrl}/settings/tool-keys/${_id}`))
  t.regex(textOf(owners), /the assistant of Luis Almeida/)
  t.true(textOf(owners).includes(`${f.stack.inboxUrl}/settings/assistants`))
  for (const { name } of lovedOnes) t.false(textOf(own).includes(name))
  const luis = await signIn(f, sink, people.coordinator)
  t.regex((await luis.get(`/settings/tool-keys/${_id}`)).text, /While it is paused, every call it makes is refused/)
})

test('a key that wrote before there were alarms is no news', async (t) => {
  const { auth, sink } = t.context
  const { people, keys, keyOf, write, rows, untilQuiet } = await newScene(t.context)
  await write(keys.owner)
  await awaitMails(sink, people.owner, FIRST_WRITE)
  const { _id } = await keyOf(people.owner)
  const earlier = { $set: { startedAt: new Date(Date.now() - 3_600_000) } }
  await auth.collection('audit_entries').updateMany({ credentialId: _id }, earlier)
  await rows.updateOne({ _id }, { $unset: { firstWriteAt: 1, alarms: 1 } })
  await write(keys.owner)
  t.true(await becomesTrue(async () => (await rows.findOne({ _id }))?.firstWriteAt !== undefined))
  t.true(await becomesTrue(async () => (await rows.findOne({ _id }))?.alarmDueAt === undefined))
  await untilQuiet()
  t.is(mailsAbout(sink, people.owner, FIRST_WRITE).length, 1)
})

test('a new network makes one mail a week, the first one none, and no address is stored', async (t) => {
  const { f, sink } = t.context
  const { people, keys, keyOf, callFrom, rows, untilQuiet } = await newScene(t.context, 'viewer')
  for (const address of ['203.0.113.5', '203.0.113.77', '203.0.113.5']) await callFrom(keys.viewer, address)
  t.is((await keyOf(people.viewer)).alarmDueAt, undefined, 'a neighbor of the first')
  await Promise.all(Array.from({ length: 10 }, () => callFrom(keys.viewer, '198.51.100.9')))
  await awaitMails(sink, people.viewer, NEW_NETWORK)
  await awaitMails(sink, people.owner, NEW_NETWORK)
  const { _id } = await keyOf(people.viewer)
  t.true(await becomesTrue(async () => (await rows.findOne({ _id }))?.networkAlarmAt !== undefined))
  for (const address of ['192.0.2.4', '2001:db8:1::1', '2001:db8:1:2::1', '203.0.113.9', '192.0.2.200'])
    await callFrom(keys.viewer, address)
  const { alarmDueAt, networks = [], ...row } = await keyOf(people.viewer)
  const inDays = ((alarmDueAt?.getTime() ?? 0) - Date.now()) / 86_400_000
  t.true(inDays > 6.9 && inDays < 7.01, `${inDays}`)
  t.is(networks.length, 4, 'a /48 is one network')
  t.notRegex(JSON.stringify({ networks, row }), /203\.0|198\.51|192\.0\.2|2001:db8/)
  await untilQuiet()
  t.is(mailsAbout(sink, people.viewer, ALARM).length, 1)
  const past = new Date(Date.now() - 1000)
  await rows.updateOne({ _id }, { $set: { 'alarms.new_network': past, alarmDueAt: past } })
  t.is(
    (await awaitMails(sink, people.viewer, NEW_NETWORK, 2)).length,
    2,
    'what came within the week is in the mail after it',
  )
  t.is((await awaitMails(sink, people.owner, NEW_NETWORK, 2)).length, 2)
  t.is(mailsAbout(sink, f.family.people.owner, ALARM).length, 0, 'another family')
})

test('of many networks the latest forty are remembered', async (t) => {
  const { people, keys, keyOf, callFrom } = await newScene(t.context)
  for (let nth = 0; nth < 45; nth += 1) await callFrom(keys.owner, `198.18.${nth}.1`)
  t.is((await keyOf(people.owner)).networks?.length, 40)
})

test('a connected app is watched like a key', async (t) => {
  const { f, sink } = t.context
  const { callFrom, ...family } = await newScene(t.context, 'coordinator')
  const { people, lovedOnes } = family
  const luis = await signIn(f, sink, people.coordinator)
  const { access_token: token } = await connectApplication({ ...f, family }, luis, [
    'care_circle:read',
    'care_circle:write',
  ])
  await callFrom(token, '203.0.113.5')
  await callFrom(token, '198.51.100.9')
  await f.call(token, 'create_provider_code', { lovedOneId: lovedOnes[0]?.id })
  for (const subject of [/^Test wrote for the first time$/, /^Test was used from a new network$/]) {
    const [mail] = await awaitMails(sink, people.coordinator, subject)
    t.regex(textOf(mail), /\/settings\/connected-apps\//)
    t.is((await awaitMails(sink, people.owner, subject)).length, 1)
  }
})

test('whoever left the family hears nothing', async (t) => {
  const { f, sink } = t.context
  const { people, keys, keyOf, callFrom, rows, untilQuiet } = await newScene(t.context, 'viewer')
  const marta = await signIn(f, sink, people.viewer)
  await callFrom(keys.viewer, '203.0.113.5')
  const { _id } = await keyOf(people.viewer)
  await rows.updateOne({ _id }, { $set: { networkAlarmAt: new Date() } })
  await callFrom(keys.viewer, '198.51.100.9')
  t.true(((await rows.findOne({ _id }))?.alarmDueAt?.getTime() ?? 0) > Date.now(), 'due in a week')
  await marta.save('/care-circle/leave', {})
  const past = new Date(Date.now() - 1000)
  await rows.updateOne({ _id }, { $set: { 'alarms.new_network': past, alarmDueAt: past } })
  t.true(await becomesTrue(async () => (await rows.findOne({ _id }))?.alarmDueAt === undefined))
  await untilQuiet()
  t.is(mailsAbout(sink, people.viewer, ALARM).length + mailsAbout(sink, people.owner, ALARM).length, 0)
})

test('a burst of writes makes one mail a day', async (t) => {
  const { f, sink, auth } = t.context
  const { people, keys, keyOf, write, rows, untilQuiet } = await newScene(t.context, 'coordinator')
  for (let nth = 0; nth < WRITES_OF_BURST; nth += 1)
    t.true((await write(keys.coordinator)).json.result.isError !== true)
  const [mail] = await awaitMails(sink, people.coordinator, BURST)
  t.regex(textOf(mail), /within ten minutes it read more than 300 times, or wrote more than 10 times/)
  await awaitMails(sink, people.owner, BURST)
  await write(keys.coordinator)
  const { _id } = await keyOf(people.coordinator)
  t.is(await auth.collection('audit_entries').countDocuments({ credentialId: _id }), WRITES_OF_BURST + 1)
  await lookForBursts(f)
  await untilQuiet()
  t.is(mailsAbout(sink, people.coordinator, BURST).length, 1)
  await rows.updateOne({ _id }, { $set: { lastBurstAt: new Date(Date.now() - 25 * 3_600_000) } })
  await lookForBursts(f)
  t.is((await awaitMails(sink, people.coordinator, BURST, 2)).length, 2, 'the next day it is news again')
})

test('a member who makes key after key cannot flood the owner', async (t) => {
  const { sink } = t.context
  const { people, keyOf, rows, untilQuiet } = await newScene(t.context, 'viewer')
  const key = await keyOf(people.viewer)
  const past = new Date(Date.now() - 1000)
  const others = Array.from({ length: 12 }, (_, nth) => ({ ...key, _id: `${key._id}${nth}`, hash: `${key._id}${nth}` }))
  await rows.insertMany(others.map((other) => ({ ...other, alarms: { burst: past }, alarmDueAt: past })))
  const left = { personId: key.personId, alarmDueAt: { $exists: true } }
  t.true(await becomesTrue(async () => (await rows.countDocuments(left)) === 0))
  await awaitMails(sink, people.owner, BURST, 10)
  await untilQuiet()
  t.is(mailsAbout(sink, people.owner, BURST).length, 10)
})

test('two replicas of auth send each alarm once', async (t) => {
  await using world = await leaseWorld()
  const { f, sink } = world
  const { people, keys, keyOf, callFrom, rows, untilQuiet } = await newScene(world, 'coordinator', 'viewer')
  await using _ = await startSecondSender(f)
  for (const address of ['203.0.113.5', '198.51.100.9'])
    await Promise.all(Object.values(keys).map((key) => callFrom(key, address)))
  await awaitMails(sink, people.owner, NEW_NETWORK, 3)
  // As after a lease that ended too early: both may send the same alarm.
  const { _id } = await keyOf(people.coordinator)
  await callFrom(keys.coordinator, '192.0.2.4')
  const past = new Date(Date.now() - 1000)
  await rows.updateOne({ _id }, { $set: { 'alarms.new_network': past, alarmDueAt: past } })
  for (let nth = 0; nth < 40; nth += 1) {
    await rows.updateOne({ _id, alarmDueAt: { $exists: true } }, { $set: { alarmDueAt: past } })
    await sleep(50)
  }
  await awaitMails(sink, people.coordinator, NEW_NETWORK, 2)
  await untilQuiet()
  t.is(mailsAbout(sink, people.coordinator, ALARM).length, 2)
  t.is(mailsAbout(sink, people.viewer, ALARM).length, 1)
  t.is(mailsAbout(sink, people.owner, ALARM).length, 4)
})
