import { randomText } from '@family-inbox/service-kit/ids/ids'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import anyTest, { type TestFn } from 'ava'
import { untilJoined } from '../_checked.ts'
import { openDatabase } from '../_database.ts'
import {
  addressIdOf,
  type Desk,
  EVIL,
  HOME,
  hand,
  notesOf,
  notify,
  openAnswerDesk,
  passAnHour,
  repliesOf,
  type Sent,
  textOf,
  toldTo,
  write,
} from '../inbox/_answers.ts'

const test = anyTest as TestFn<Desk>

test.before(async (t) => {
  t.context = await openAnswerDesk()
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]?.())

test('whoever has the secret address but not the member’s mailbox sends nothing, learns nothing, and is not written to', async (t) => {
  const desk = t.context
  const member = await notify(desk, 'owner', { others: ['coordinator'] })
  const stranger = await notify(desk)
  const { email, address: to } = member
  const mallory = `mallory@${EVIL}`
  const attempts: Record<string, Sent> = {
    'a forged From': { from: email, to, signedBy: '' },
    'a forged From, signed by another domain': { from: email, to, signedBy: EVIL },
    'their own address': { from: mallory, to, signedBy: EVIL },
    'the member’s address as a name': { from: `"${email}" <${mallory}>`, to, signedBy: EVIL },
    'two From fields': { from: `${email}\r\nFrom: ${mallory}`, to, signedBy: EVIL },
    'two From fields of the member’s domain': { from: `${email}\r\nFrom: mallory@${HOME}`, to },
    'two authors': { from: `${email}, ${mallory}`, to, signedBy: EVIL },
    'a Sender': { from: mallory, to, signedBy: EVIL, fields: { Sender: email } },
    'their own results of a check': {
      from: email,
      to,
      signedBy: '',
      fields: { 'Authentication-Results': `inbox; dmarc=pass header.from=${HOME}` },
    },
    'a member’s signature of part of the letter': { from: email, to: `${to}\r\nTo: ${mallory}` },
    'the secret in Cc of the member’s own mail': { from: email, to: mallory, fields: { Cc: to } },
    'the secret beside others': { from: email, to: `${mallory}, ${to}` },
    'the member’s mail to somebody else': { from: email, to: mallory },
    'a member of another family': { from: stranger.email, to },
    'another member of the family': { from: member.family.people.coordinator, to },
  }
  for (const [what, sent] of Object.entries(attempts)) {
    const raw = await write({ ...sent, text: `note\n${what}` })
    t.regex(await hand(desk, to, raw, mallory), /^250/, what)
    t.regex(await hand(desk, to, await write({ ...sent, text: what }), mallory), /^250/, what)
  }
  t.deepEqual(await repliesOf(desk, member), [])
  t.deepEqual(await notesOf(desk, member), [])
  const told = await toldTo(desk, member)
  t.is(told.length, 1, 'at most one in an hour')
  t.regex(textOf(told[0] ?? member.mail), /We couldn’t be sure that it was you/)
  t.is(desk.sink.mails.filter((one) => one.to.includes(mallory)).length, 0)
  const [before, after] = to.split('+')
  const unknown = `${before}+${(after ?? '').replace(/^.{8}/, '00000000')}`
  t.is(await hand(desk, unknown, 'x'), await hand(desk, `${randomText(16)}@${desk.f.stack.mailDomain}`, 'x'))
  t.regex(await hand(desk, unknown, 'x'), /^550/)
})

test('the member’s own server may sign for a subdomain, as DMARC allows', async (t) => {
  const desk = t.context
  const member = await notify(desk)
  const { email: from, address: to } = member
  await hand(desk, to, await write({ from, to, text: 'note\nsigned', signedBy: `mail.${HOME}` }))
  t.deepEqual(await notesOf(desk, member), ['Ana Almeida: signed'])
})

test('a mail of the member that is sent again, also under another Message-ID, changes nothing', async (t) => {
  const desk = t.context
  const member = await notify(desk)
  const { email: from, address: to } = member
  const raw = await write({ from, to, text: 'Yes.', covers: ['From', 'To', 'Date', 'Subject'] })
  const again = [
    raw,
    raw.replace(/^Message-ID: .*$/m, `Message-ID: <${randomText(9)}@${EVIL}>`),
    `Received: from ${EVIL}\r\n${raw}`,
    `Date: Fri, 20 Nov 2026 10:00:00 +0000\r\n${raw}`,
    raw.replace(/\r\n\r\n/, `\r\nX-New: ${randomText(9)}\r\n\r\n`),
  ]
  for (const one of again) t.regex(await hand(desk, to, one), /^250/)
  t.is((await repliesOf(desk, member)).length, 1)
})

test('an answer by mail, whose writer does not see where it goes, goes to nobody whom a forged letter names', async (t) => {
  const desk = t.context
  const member = await notify(desk)
  const { email: from, address: to, letter } = member
  const messages = desk.mongo.db().collection<{ _id: string }>('messages')
  const _id = `${member.family.workspaceId}/${letter.lovedOneId}/${letter.messageId}`
  await untilJoined(desk.mongo, member.family.workspaceId)
  const elsewhere = { name: '', address: `desk@${EVIL}` }
  const failed = { spf: 'fail', dkim: 'none', dmarc: 'fail', arc: 'none', aligned: false }
  for (const [count, forged] of [
    { replyTo: elsewhere },
    { originalSender: elsewhere, fromMember: true },
    { authenticity: failed },
  ].entries()) {
    const kept = await messages.findOneAndUpdate({ _id }, { $set: forged })
    await passAnHour(desk, member)
    t.regex(await hand(desk, to, await write({ from, to, text: `Yes ${count}.` })), /^250/)
    const told = await toldTo(desk, member)
    t.is(told.length, count + 1)
    t.regex(textOf(told.at(-1) ?? member.mail), /We couldn’t prove where it would go/)
    await messages.replaceOne({ _id }, kept ?? {})
  }
  t.deepEqual(await repliesOf(desk, member), [])
  await hand(desk, to, await write({ from, to }))
  t.deepEqual(
    (await repliesOf(desk, member)).map((reply) => reply.to),
    [letter.sender],
  )
})

test('no automatic mail is an answer or brings one, and neither does a bounce', async (t) => {
  const desk = t.context
  const member = await notify(desk)
  const { email: from, address: to } = member
  const fields: Record<string, string>[] = [
    { 'Auto-Submitted': 'auto-replied' },
    { 'Auto-Submitted': 'auto-generated' },
    { Precedence: 'bulk' },
    { Precedence: 'auto_reply' },
    { 'List-Id': '<family.example>' },
  ]
  for (const one of fields) t.regex(await hand(desk, to, await write({ from, to, fields: one })), /^250/)
  t.regex(await hand(desk, to, await write({ from, to }), ''), /^250/)
  t.deepEqual(await repliesOf(desk, member), [])
  t.is((await toldTo(desk, member)).length, 0)
})

test('after fourteen days, or once the member has left, the address is worth nothing', async (t) => {
  const desk = t.context
  const [late, gone] = [await notify(desk, 'coordinator'), await notify(desk, 'coordinator')]
  const rows = desk.mongo.db().collection<{ _id: string }>('answer_addresses')
  const createdAt = new Date(Date.now() - 14 * DAY_MS)
  t.is((await rows.updateOne({ _id: addressIdOf(late.address) }, { $set: { createdAt } })).modifiedCount, 1)
  await using circle = await openDatabase(desk.f.stack, 'care-circle')
  const members = circle.db().collection('members')
  await members.updateMany({ workspaceId: late.family.workspaceId }, { $set: { joinedAt: new Date(0) } })
  await gone.visitor.save('/care-circle/leave', {})
  for (const { email: from, address: to } of [late, gone])
    for (const words of ['Yes.', 'note\nYes.'])
      t.regex(await hand(desk, to, await write({ from, to, text: words })), /^250/)
  for (const one of [late, gone]) t.deepEqual([await repliesOf(desk, one), await notesOf(desk, one)], [[], []])
  t.regex(textOf((await toldTo(desk, late))[0] ?? late.mail), /for 14 days/)
  t.is((await toldTo(desk, gone)).length, 0)
  const stored = JSON.stringify(await rows.find({}).toArray())
  t.false(stored.includes(late.address.split(/[+@]/)[1] ?? '-'), 'only its hash is stored')
})
