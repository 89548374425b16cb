import { send } from '../_family.ts'
import { startSecondInbox } from '../inbox/_second-inbox.ts'
import { awaitMails, leaseWorld, mailsAbout, openWorld, textOf } from './_assistants.ts'
import { newScene, SUMMARY } from './_weekly-summary.ts'

const test = openWorld({ withMail: true })
test('on Monday each member who asked gets what the assistants they can see did, in numbers', async (t) => {
  const { f, sink } = t.context
  const { people, keys, rows, mine, choose, monday, isOver, read, lovedOnes } = await newScene(
    t.context,
    'coordinator',
    'viewer',
  )
  for (const email of [people.owner, people.coordinator]) await choose(email)
  const chosen = await rows.find(mine).toArray()
  t.deepEqual(
    chosen.map(({ summaryDueAt }) => [summaryDueAt?.getUTCDay(), summaryDueAt?.toISOString().slice(11, 19)]),
    [
      [1, '02:30:12'],
      [1, '02:30:12'],
    ],
  )
  const { subject, messageId, lovedOneId } = await read(keys.owner)
  await read(keys.coordinator)
  // The same message again.
  await read(keys.coordinator)
  await f.call(keys.coordinator, 'get_inbox_message', { lovedOneId, messageId: 'msg_unknown' })
  await f.call(keys.coordinator, 'reply_to_inbox_message', { messageId, body: 'Thank you' })
  await f.call(keys.viewer, 'ping')
  await monday()
  const [own] = await awaitMails(sink, people.coordinator, SUMMARY)
  const [owners] = await awaitMails(sink, people.owner, SUMMARY)
  const LUIS = 'looked through the inbox twice, read a message, sent a reply, 1 refused'
  t.true(textOf(own).includes(`Demo key, for you: ${LUIS}`), textOf(own))
  t.notRegex(textOf(own), /Ana/)
  t.true(textOf(owners).includes('Demo key, for you: looked through the inbox, read a message'), textOf(owners))
  t.true(textOf(owners).includes(`Demo key, for Luis Almeida: ${LUIS}`))
  t.notRegex(textOf(owners), /Marta/, 'a check of the connection is nothing')
  for (const word of [subject, ...lovedOnes.map(({ name }) => name), 'Thank you'])
    t.false(textOf(owners).includes(word), word)
  t.true(textOf(own).includes(`${f.stack.inboxUrl}/settings/agent-activity`))
  await isOver()
  for (const { summaryDueAt } of await rows.find(mine).toArray()) t.is(summaryDueAt?.getUTCDay(), 1)
  await monday()
  await isOver()
  t.is(mailsAbout(sink, people.owner, SUMMARY).length, 1, 'a week in which they did nothing')
  t.is(mailsAbout(sink, people.coordinator, SUMMARY).length, 1)
  t.is(mailsAbout(sink, people.viewer, SUMMARY).length, 0, 'never asked')
  t.is(mailsAbout(sink, f.family.people.owner, SUMMARY).length, 0, 'another family')
})

test('a paused assistant, which can only be refused, makes no summary', async (t) => {
  const { sink } = t.context
  const { people, keys, choose, monday, isOver, f } = { ...t.context, ...(await newScene(t.context)) }
  const ana = await choose(people.owner)
  await ana.submit('/settings/assistants', { setting: 'paused', value: 'on' })
  const refused = await f.call(keys.owner, 'list_loved_ones')
  t.true(refused.json.result.isError)
  await monday()
  await isOver()
  t.is(mailsAbout(sink, people.owner, SUMMARY).length, 0)
})

test('one-click unsubscribe ends the summary and nothing else', async (t) => {
  const { sink } = t.context
  const { people, keys, choose, monday, read, rows, mine } = await newScene(t.context)
  const ana = await choose(people.owner)
  const isChecked = async () =>
    (await ana.get('/settings/notifications')).text.includes('name="weeklySummary" value="1" checked')
  t.true(await isChecked())
  await read(keys.owner)
  await monday()
  const [summary] = await awaitMails(sink, people.owner, SUMMARY)
  const url = /^List-Unsubscribe: <(.+)>$/m.exec(summary?.headers ?? '')?.[1] ?? ''
  t.regex((await send(url, { headers: { accept: 'text/html' } })).text, /Turn off the weekly summary\?/)
  t.true(await isChecked(), 'opening the link changes nothing')
  const post = (to: string) =>
    send(to, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    })
  const nowhere = await post(url.replace(/.{8}\/weekly$/, '00000000/weekly'))
  const done = await post(url)
  t.is(done.status, 200)
  t.is(nowhere.text, done.text)
  t.false(await isChecked())
  t.true((await ana.get('/settings/notifications')).text.includes('value="personal" checked'))
  t.is(await rows.countDocuments(mine), 0)
})

test('whoever left the family gets no summary', async (t) => {
  const { sink } = t.context
  const { people, keys, choose, monday, isOver, read, rows, workspaceId } = await newScene(t.context, 'viewer')
  await choose(people.owner)
  const marta = await choose(people.viewer)
  await read(keys.viewer)
  await marta.save('/care-circle/leave', {})
  await monday()
  await awaitMails(sink, people.owner, SUMMARY)
  await isOver()
  t.is(mailsAbout(sink, people.viewer, SUMMARY).length, 0)
  t.is(await rows.countDocuments({ workspaceId, summaryDueAt: { $exists: true } }), 1)
})

test('saving the page again loses no day of the summary, and turning it off ends it', async (t) => {
  const { people, choose, rows, mine } = await newScene(t.context)
  await choose(people.owner)
  const [first] = await rows.find(mine).toArray()
  await choose(people.owner, '1', 'UTC')
  const [second] = await rows.find(mine).toArray()
  t.deepEqual(second?.summarizedUpTo, first?.summarizedUpTo)
  t.is(second?.summaryDueAt?.toISOString().slice(11, 19), '08:00:12')
  await choose(people.owner, '')
  t.is(await rows.countDocuments(mine), 0)
})

test('two replicas of inbox send each summary once', async (t) => {
  await using world = await leaseWorld({ withMail: true })
  const { f, sink } = world
  const { people, keys, choose, monday, isOver, read } = await newScene(world, 'coordinator', 'viewer')
  await using _ = await startSecondInbox(f.stack, { env: { SMTP_URL: sink.url, NOTIFICATION_DELAY_SECONDS: '2' } })
  for (const email of Object.values(people)) await choose(email)
  for (const key of Object.values(keys)) await read(key)
  await monday()
  for (const email of Object.values(people)) await awaitMails(sink, email, SUMMARY)
  await isOver()
  for (const email of Object.values(people)) t.is(mailsAbout(sink, email, SUMMARY).length, 1)
})
