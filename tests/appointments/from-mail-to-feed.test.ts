import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { mail } from '../mail-corpus/build-mail.ts'
import { createFeed, pathOf, readFeed, unfold } from './_calendar.ts'
import { basic, inDays, invitation, newUid } from './_invitations.ts'

type World = { f: Guest & { sink: Sink }; owner: Visitor; sibling: Visitor }

const test = (anyTest as TestFn<World>).serial

test.before(async ({ context }) => {
  const f = await joinFamily()
  const { owner, viewer } = f.family.people
  context.f = f
  context.owner = await signIn(f, f.sink, owner)
  context.sibling = await signIn(f, f.sink, viewer)
})
test.after.always(({ context }) => context.f?.[Symbol.asyncDispose]())

function deliver({ f }: World, raw: Buffer): Promise<void> {
  return openMailer(f.stack).deliver(f.family.lovedOnes[0]?.inboxAddress ?? '', raw)
}

test('an invitation that a clinic mails is in the family’s calendar and in a sibling’s own, and follows its changes', async (t) => {
  const { f, owner, sibling } = t.context
  const words = { uid: newUid(), summary: 'Heart check' }
  const first = inDays(3)
  await deliver(t.context, invitation({ ...words, start: basic(first) }))
  const list = await readUntil(
    () => owner.get('/appointments'),
    ({ text }) => text.includes('Heart check'),
  )
  t.regex(list.text, /Rosa Almeida/)
  const page = await owner.get(pathOf(list.text, 'Heart check'))
  t.regex(page.text, /Main Street 5, Lisbon/)
  t.regex(page.text, /Clinic desk<\/bdi> &lt;<bdi>desk@clinic\.example/)
  t.regex(page.text, /Sender not verified/)
  const messageHref = /href="(\/inbox\/[^"]+)">Open the message/.exec(page.text)?.[1] ?? ''
  t.regex((await owner.get(messageHref)).text, /In the calendar: <a[^>]*><bdi>Heart check/)

  const feed = await createFeed(sibling)
  const read = await readFeed(f, feed)
  t.is(read.status, 200)
  t.regex(String(read.headers['content-type']), /^text\/calendar/)
  t.regex(unfold(read.text), new RegExp(`DTSTART:${basic(first)}`))
  t.regex(unfold(read.text), /DESCRIPTION:Family Care Inbox: from Clinic desk <desk@clinic\.example>/)

  const second = inDays(4)
  await deliver(t.context, invitation({ ...words, start: basic(second), sequence: 1 }))
  const moved = await readUntil(
    () => readFeed(f, feed),
    ({ text }) => text.includes(`DTSTART:${basic(second)}`),
  )
  t.false(moved.text.includes(`DTSTART:${basic(first)}`))
  t.is(uidIn(moved.text, 'Heart check'), uidIn(read.text, 'Heart check'))
  t.regex((await owner.get(pathOf(list.text, 'Heart check'))).text, /Changed/)

  await deliver(t.context, invitation({ ...words, start: basic(first), sequence: 0 }))
  await deliver(t.context, invitation({ ...words, method: 'CANCEL', start: basic(second), sequence: 2 }))
  const canceled = await readUntil(
    () => readFeed(f, feed),
    ({ text }) => text.includes('STATUS:CANCELLED'),
  )
  t.regex(canceled.text, new RegExp(`DTSTART:${basic(second)}`), 'an older mail changes nothing')
  t.regex((await owner.get('/appointments')).text, /Canceled/)
})

test('those who are going get one mail about a change, without details', async (t) => {
  const { f, owner } = t.context
  const words = { uid: newUid(), summary: 'Ear doctor' }
  await deliver(t.context, invitation({ ...words, start: basic(inDays(10)) }))
  const list = await readUntil(
    () => owner.get('/appointments'),
    ({ text }) => text.includes('Ear doctor'),
  )
  const path = pathOf(list.text, 'Ear doctor')
  t.is((await owner.submit(`${path}/going`, { going: 'yes' })).status, 303)
  t.regex((await owner.get(path)).text, /Going<\/dt><dd><bdi>Ana Almeida/)
  await deliver(t.context, invitation({ ...words, start: basic(inDays(11)), sequence: 1 }))
  const isNotice = ({ headers, to }: { headers: string; to: string[] }) =>
    to.includes(f.family.people.owner) && /An appointment for Rosa Almeida changed/.test(headers)
  const mails = await readUntil(
    async () => f.sink.mails.filter(isNotice),
    (some) => some.length > 0,
  )
  t.false(mails[0]?.raw.includes('Ear doctor'))
  await deliver(t.context, invitation({ ...words, start: basic(inDays(11)), sequence: 1 }))
  await deliver(
    t.context,
    invitation({ ...words, summary: 'Ear doctor, room 3', start: basic(inDays(11)), sequence: 2 }),
  )
  await readUntil(
    () => owner.get(path),
    ({ text }) => text.includes('room 3'),
  )
  t.is(f.sink.mails.filter(isNotice).length, 1)
})

test('when a member changes or cancels an appointment, the others who are going get a mail each', async (t) => {
  const { f, owner } = t.context
  const { owner: ana, coordinator: luis } = f.family.people
  const coordinator = await signIn(f, f.sink, luis)
  const isNotice = ({ headers }: { headers: string }) => /An appointment for Jorge Almeida changed/.test(headers)
  const notices = (to: string) => f.sink.mails.filter((one) => one.to.includes(to) && isNotice(one)).length
  const jorge = f.family.lovedOnes[1]?.id ?? ''
  const day = (days: number) => inDays(days).toISOString().slice(0, 10)
  const words = { for: jorge, title: 'Walk', place: '', time: '10:20', length: '30', message: '' }
  const added = await owner.submit('/appointments/new', { ...words, day: day(9), request: newUid() })
  const path = String(added.headers.location)
  for (const member of [owner, coordinator]) t.is((await member.submit(`${path}/going`, { going: 'yes' })).status, 303)
  const change = async (member: Visitor, more: Record<string, string>) => {
    const { text } = await member.get(`${path}/change`)
    const version = /name="version" value="(\d+)"/.exec(text)?.[1] ?? ''
    t.is((await member.submit(`${path}/change`, { ...words, day: day(9), version, ...more })).status, 303)
  }
  await change(owner, { day: day(10) })
  await f.sink.waitFor(luis)
  await readUntil(
    async () => notices(luis),
    (count) => count === 1,
  )
  t.is(notices(ana), 0, 'whoever changes it knows')
  await change(owner, { day: day(10), title: 'Long walk' })
  t.is((await coordinator.submit(`${path}/cancel`, {})).status, 303)
  await readUntil(
    async () => notices(ana),
    (count) => count === 1,
  )
  t.is((await coordinator.submit(`${path}/cancel`, {})).status, 303)
  await change(coordinator, { day: day(11) })
  await readUntil(
    async () => notices(ana),
    (count) => count === 2,
  )
  t.is(notices(luis), 1, 'another title is not worth a mail')
})

test('a mail whose text names a day and a time offers to add it, and adds nothing alone', async (t) => {
  const { f, owner } = t.context
  const at = inDays(20)
  const day = at.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
  await deliver(
    t.context,
    mail({ Subject: 'Your teeth', 'Message-ID': `<${newUid()}>` }, `We expect you on ${day} at 10:20.`),
  )
  const inbox = await readUntil(
    () => owner.get('/'),
    ({ text }) => text.includes('Your teeth'),
  )
  const [, href = ''] =
    /href="(\/inbox\/lo_[^"]+)"(?:(?!<\/li>).)*Your teeth/s.exec(
      inbox.text.slice(inbox.text.lastIndexOf('<li', inbox.text.indexOf('Your teeth'))),
    ) ?? []
  const message = await owner.get(href)
  const [, add = ''] = /href="([^"]+)">Add as appointment/.exec(message.text) ?? []
  const form = await owner.get(add.replaceAll('&#38;', '&'))
  t.regex(form.text, /name="time"[^>]* value="10:20"/)
  t.false((await owner.get('/appointments')).text.includes('Your teeth'))
  const field = (name: string) => new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(form.text)?.[1] ?? ''
  const names = ['request', 'message', 'title', 'day', 'time']
  const fields = Object.fromEntries(names.map((name) => [name, field(name)]))
  const sent = { ...fields, for: f.family.lovedOnes[0]?.id ?? '', length: '30', place: '' }
  const answers = await Promise.all([1, 2, 3].map(() => owner.submit('/appointments/new', sent)))
  t.deepEqual(
    answers.map(({ status }) => status),
    [303, 303, 303],
  )
  t.is(new Set(answers.map(({ headers }) => headers.location)).size, 1, 'three times the same form is one appointment')
  t.regex((await owner.get('/appointments')).text, /10:20(?:(?!<\/li>).)*Your teeth/s)
  t.regex((await owner.get(href)).text, /In the calendar: <a[^>]*><bdi>Your teeth/)
})

test('a rule without end holds up nobody’s appointments', async (t) => {
  const { f, owner } = t.context
  const endless = ['RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30']
  const other = await f.another()
  const stranger = openMailer(f.stack)
  // One after the other, these would take longer than the test waits.
  for (let count = 0; count < 8; count += 1)
    await stranger.deliver(other.lovedOnes[0]?.inboxAddress ?? '', invitation({ uid: newUid(), more: endless }))
  await deliver(t.context, invitation({ uid: newUid(), summary: 'Dentist', start: basic(inDays(12)) }))
  await readUntil(
    () => owner.get('/appointments'),
    ({ text }) => text.includes('Dentist'),
  )
  t.pass()
})

function uidIn(calendar: string, title: string): string | undefined {
  const event = unfold(calendar)
    .split('BEGIN:VEVENT')
    .find((one) => one.includes(title))
  return /UID:(\S+)/.exec(event ?? '')?.[1]
}
