import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { filesOf, receiveLetter } from '../_letter.ts'
import { pngOf } from '../_pdf-and-png.ts'
import { becomesTrue, until } from '../_wait.ts'
import { attachment, html, multipart, text } from '../mail-corpus/build-mail.ts'
import {
  ask,
  awaitNotification,
  type Desk,
  hand,
  notesOf,
  notify,
  openAnswerDesk,
  passAnHour,
  quoted,
  repliesOf,
  replyToOf,
  textOf,
  toldTo,
  write,
} from './_answers.ts'
import { isTaken } from './_smtp-client.ts'

const test = anyTest as TestFn<Desk>

test.before(async (t) => {
  t.context = await openAnswerDesk()
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]?.())

test('a reply to a notification goes to the clinic once, after the time to undo, and its page says that it came by mail', async (t) => {
  const desk = t.context
  const member = await notify(desk)
  const { email: from, address, letter, visitor } = member
  t.regex(address, new RegExp(`^reply\\+[0-9a-f]{32}@${desk.f.stack.mailDomain}$`))
  const said = textOf(member.mail)
  t.true(said.includes('in the name of The Almeida family'), said)
  t.true(said.includes('write “note” alone on the first line'), said)
  for (const word of ['clinic', 'Desk', 'Monday']) t.false(said.includes(word), word)

  const body = `Yes, on Monday ${randomText(8)}.`
  const raw = await write({ from: `Ana <${from.toUpperCase()}>`, to: address, text: `${quoted(body)}\n-- \nAna` })
  for (let times = 0; times < 2; times += 1) t.regex(await hand(desk, address, raw), /^250/)
  const held = (await visitor.get(letter.path)).text
  t.true(held.includes('Sending in a few seconds'))
  t.regex(held, /Ana Almeida<\/bdi><\/strong> replied to <bdi>[^<]+<\/bdi>, by mail/)
  const [sent] = await desk.sink.waitFor(letter.sender)
  await untilNoMailIsDue(desk.f.stack, member.family.workspaceId)
  t.is((await desk.sink.waitFor(letter.sender)).length, 1)
  t.is(textOf(sent ?? member.mail).trim(), body, 'neither the quote nor the signature')
  t.regex(sent?.headers ?? '', /^From: Ana Almeida </m)
  t.false(sent?.raw.includes('reply+'), 'the address is nobody else’s')
  t.is((await toldTo(desk, member)).length, 0)
})

test('“note” on the first line adds a note in place of a reply, also for viewers; a viewer’s reply is not sent, and they hear of it', async (t) => {
  const desk = t.context
  const owner = await notify(desk)
  const notes = ['Note\n\nAsk for the card.', 'note: bring the card', quoted('*NOTE*\nhe knows')]
  for (const one of notes)
    t.regex(await hand(desk, owner.address, await write({ from: owner.email, to: owner.address, text: one })), /^250/)
  t.deepEqual(await notesOf(desk, owner), [
    'Ana Almeida: Ask for the card.',
    'Ana Almeida: bring the card',
    'Ana Almeida: he knows',
  ])
  t.true((await owner.visitor.get(owner.letter.path)).text.includes('Ask for the card.'))

  const viewer = await notify(desk, 'viewer')
  const { email: from, address: to } = viewer
  t.notRegex(textOf(viewer.mail), /in the name of/)
  await hand(desk, to, await write({ from, to, text: 'note\nI can drive.' }))
  await hand(desk, to, await write({ from, to, text: 'I can drive.' }))
  t.is((await notesOf(desk, viewer)).length, 1)
  const [told] = await toldTo(desk, viewer)
  t.regex(textOf(told ?? viewer.mail), /You can add notes here, but not reply\..*Nothing was sent/)
  t.true(told?.raw.replaceAll('=\r\n', '').includes(viewer.letter.path))
  t.deepEqual([await repliesOf(desk, owner), await repliesOf(desk, viewer)], [[], []])
})

test('two answers are two replies, also of two people at the same moment, and an undone one does not come back', async (t) => {
  const desk = t.context
  const owner = await notify(desk, 'owner', { others: ['coordinator'] })
  const luis = owner.family.people.coordinator
  const other = await ask(desk, luis)
  const second = await receiveLetter(desk.f, other, owner.family)
  const theirs = replyToOf(await awaitNotification(desk, luis))
  const mine = { from: owner.email, to: owner.address }
  const mails = await Promise.all([
    write({ ...mine, text: 'Yes.' }),
    write({ ...mine, text: 'Yes.' }),
    write({ from: luis, to: theirs, text: 'We come.' }),
  ])
  await Promise.all(
    mails.flatMap((raw, index) =>
      [1, 2].map(() => until(() => isTaken(hand(desk, index < 2 ? owner.address : theirs, raw)))),
    ),
  )
  const replies = await repliesOf(desk, owner)
  t.deepEqual(replies.map(({ name, body }) => `${name}: ${body}`).sort(), [
    'Ana Almeida: Yes.',
    'Ana Almeida: Yes.',
    'Luis Almeida: We come.',
  ])
  t.true(replies.every(({ byMail }) => byMail === true))
  const undone = replies.find(({ name }) => name === 'Luis Almeida')
  t.is((await other.submit(`${second.path}/undo`, { reply: undone?.id ?? '' })).status, 303)
  t.regex(await hand(desk, theirs, mails[2] ?? ''), /^250/)
  t.is((await repliesOf(desk, owner)).length, 2)
})

test('pictures go with the reply; other files are refused with the whole answer, and none of them is kept', async (t) => {
  const desk = t.context
  const member = await notify(desk)
  const { email: from, address: to, letter } = member
  const picture = Buffer.from(pngOf(200, 100))
  const send = async (own: string, ...files: Buffer[]) => {
    const { type, body } = multipart('mixed', [text(own), ...files])
    t.regex(await hand(desk, to, await write({ from, to, body, fields: { 'Content-Type': type } })), /^250/)
  }
  const png = attachment('Card.png', 'image/png', picture)
  await send('With a program.', png, attachment('run.exe', 'application/octet-stream', Buffer.from('MZ...')))
  t.regex(textOf((await toldTo(desk, member))[0] ?? member.mail), /files that can’t be sent/)
  const files = desk.mongo.db().collection<{ _id: string }>('reply_files')
  t.is(await files.countDocuments({ _id: { $regex: `^${member.family.workspaceId}/` } }), 0)
  await send('Here is the card.', png)
  const [sent] = await desk.sink.waitFor(letter.sender)
  t.deepEqual(
    filesOf(sent?.raw ?? '').map(({ bytes }) => bytes.equals(picture)),
    [true],
  )
  await passAnHour(desk, member)
  await send('note\nThe card', png)
  t.is((await toldTo(desk, member)).length, 2)
  t.deepEqual(await notesOf(desk, member), [])
})

test('HTML becomes text, and what cannot be told from its quote, or says nothing, is not sent', async (t) => {
  const desk = t.context
  const member = await notify(desk)
  const { email: from, address: to } = member
  const send = async (fields: Record<string, string>, body: Buffer) =>
    t.regex(await hand(desk, to, await write({ from, to, body, fields })), /^250/)
  const own = 'On <b>Monday</b>.<blockquote>You have new mail</blockquote>'
  const { type, body } = multipart('alternative', [html(`<html><body>${own}</body></html>`)])
  await send({ 'Content-Type': type }, body)
  t.deepEqual(
    (await repliesOf(desk, member)).map(({ body: said }) => said),
    ['On Monday.'],
  )
  const refused: [fields: Record<string, string>, text: string, why: RegExp][] = [
    [{}, quoted(''), /no text of your own/],
    [{}, `Fine. ${textOf(member.mail)}`, /couldn’t tell your own words/],
    [{}, `-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----`, /encrypted/],
    [{}, 'Long. '.repeat(4000), /too long/],
  ]
  for (const [count, [fields, words, why]] of refused.entries()) {
    await passAnHour(desk, member)
    await send(fields, Buffer.from(words))
    const told = await toldTo(desk, member)
    t.is(told.length, count + 1, `${why}`)
    t.regex(textOf(told.at(-1) ?? member.mail), why)
  }
  t.is((await repliesOf(desk, member)).length, 1)
})

test('nothing is sent once the conversation is done, the message deleted or the address stopped, and a refused mail is not sent later', async (t) => {
  const desk = t.context
  const member = await notify(desk)
  const { email: from, address: to, visitor, letter, family } = member
  const answer = () => write({ from, to, text: 'Yes.' })
  const first = await answer()
  const change = async (path: string, fields: Record<string, string>) =>
    t.is((await visitor.submit(`${letter.path}${path}`, fields)).status, 303)
  const isRefused = async (raw: string, why: RegExp) => {
    await passAnHour(desk, member)
    const before = (await toldTo(desk, member)).length
    t.regex(await hand(desk, to, raw), /^250/)
    const told = await toldTo(desk, member)
    t.is(told.length, before + 1, `${why}`)
    t.regex(textOf(told.at(-1) ?? member.mail), why)
  }
  await change('/status', { act: 'done' })
  await isRefused(first, /finished this conversation/)
  await change('/status', { act: 'open-again' })
  t.regex(await hand(desk, to, first), /^250/)
  t.deepEqual(await repliesOf(desk, member), [], 'they heard that it was not sent')
  const stops = desk.mongo.db().collection('stopped_workspaces')
  await stops.insertOne({ _id: family.workspaceId as never })
  await isRefused(await answer(), /can be sent to its sender\. The page says why/)
  await stops.deleteOne({ _id: family.workspaceId as never })
  await change('/move', { to: 'deleted' })
  await isRefused(await answer(), /no longer in the inbox/)
  t.deepEqual(await repliesOf(desk, member), [])
})

test('a notification of several messages, or of a member who turned it off, is not answered by mail', async (t) => {
  const desk = t.context
  const family = await desk.f.another()
  const email = family.people.owner
  const visitor = await ask(desk, email)
  await Promise.all([1, 2].map(() => receiveLetter(desk.f, visitor, family)))
  const first = await awaitNotification(desk, email)
  // On a slow machine, each may have a notification of its own.
  if (/^Subject: 2 new/m.test(first.headers)) {
    t.is(replyToOf(first), '')
    t.regex(textOf(first), /To answer, open the message in your inbox/)
  }
  const off = await notify(desk, 'owner', { answerByMail: '' })
  t.is(off.address, '')
  t.regex(textOf(off.mail), /To answer, open the message in your inbox/)

  const member = await notify(desk)
  t.true((await member.visitor.get('/settings/notifications')).text.includes('name="answerByMail" value="1" checked'))
  await member.visitor.submit('/settings/notifications', { mode: 'each', timeZone: 'Europe/Lisbon' })
  const { email: from, address: to } = member
  await hand(desk, to, await write({ from, to }))
  t.regex(textOf((await toldTo(desk, member))[0] ?? member.mail), /turned off answering by email/)
  t.deepEqual(await repliesOf(desk, member), [])
  t.true(await becomesTrue(async () => (await toldTo(desk, member)).length === 1))
})
