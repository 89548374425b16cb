import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { createFeed, pathOf, readFeed, unfold, until } from './_calendar.ts'
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
  const list = await until(
    () => owner.get('/appointments'),
    ({ text }) => text.includes('Heart check'),
  )
  t.regex(list.text, /Rosa Almeida/)
  const page = await owner.get(pathOf(list.text, 'Heart check'))
  t.regex(page.text, /Main Street 5, Lisbon/)
  t.regex(page.text, /Clinic desk/)
  t.regex(page.text, /Sender not verified/)
  const messageHref = /href="(\/inbox\/[^"]+)">Open the message/.exec(page.text)?.[1] ?? ''
  t.regex((await owner.get(messageHref)).text, /In the calendar: <a[^>]*><bdi>Heart check/)

  const feed = await createFeed(sibling)
  const read = await readFeed(f, feed)
  t.is(read.status, 200)
  t.regex(String(read.headers['content-type']), /^text\/calendar/)
  t.regex(unfold(read.text), new RegExp(`DTSTART:${basic(first)}`))

  const second = inDays(4)
  await deliver(t.context, invitation({ ...words, start: basic(second), sequence: 1 }))
  const moved = await until(
    () => readFeed(f, feed),
    ({ text }) => text.includes(`DTSTART:${basic(second)}`),
  )
  t.false(moved.text.includes(`DTSTART:${basic(first)}`))
  t.is(uidIn(moved.text, 'Heart check'), uidIn(read.text, 'Heart check'))
  t.regex((await owner.get(pathOf(list.text, 'Heart check'))).text, /Changed/)

  await deliver(t.context, invitation({ ...words, start: basic(first), sequence: 0 }))
  await deliver(t.context, invitation({ ...words, method: 'CANCEL', start: basic(second), sequence: 2 }))
  const canceled = await until(
    () => readFeed(f, feed),
    ({ text }) => text.includes('STATUS:CANCELLED'),
  )
  t.regex(canceled.text, new RegExp(`DTSTART:${basic(second)}`), 'an older mail changes nothing')
  t.regex((await owner.get('/appointments')).text, /Canceled/)
})

function uidIn(calendar: string, title: string): string | undefined {
  const event = unfold(calendar)
    .split('BEGIN:VEVENT')
    .find((one) => one.includes(title))
  return /UID:(\S+)/.exec(event ?? '')?.[1]
}
