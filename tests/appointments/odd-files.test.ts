import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { becomesTrue, readUntil } from '../_wait.ts'
import { multipartMail, part, text } from '../mail-corpus/build-mail.ts'
import { createFeed, readFeed, unfold } from './_calendar.ts'

type World = { f: Guest & { sink: Sink }; owner: Visitor; viewer: Visitor }

const test = (anyTest as TestFn<World>).serial

test.before(async ({ context }) => {
  const f = await joinFamily()
  const { owner, viewer } = f.family.people
  context.f = f
  context.owner = await signIn(f, f.sink, owner)
  context.viewer = await signIn(f, f.sink, viewer)
})
test.after.always(({ context }) => context.f?.[Symbol.asyncDispose]())

const DAY_MS = 86_400_000
/** An address that is read more often is refused for a while. */
const READ_EVERY_MS = 4000
const PATIENCE_MS = 180_000
/** The files are about January 2027. Later, whole years of weeks later, so that weekdays and the clock change stay. */
const SHIFT_MS = Math.max(0, Math.ceil((Date.now() - Date.UTC(2027, 0, 4)) / (364 * DAY_MS))) * 364 * DAY_MS

function shifted(written: string): string {
  return written.replaceAll(/2027(\d\d)(\d\d)/g, (_, month, day) => {
    const at = Date.UTC(2027, Number(month) - 1, Number(day)) + SHIFT_MS
    return new Date(at).toISOString().slice(0, 10).replaceAll('-', '')
  })
}

/** Files from public reports, in the order of their mails, and what of them a family must have. */
const CASES: [title: string, files: string[], starts: string[]][] = [
  ['Respite care Oakhill', ['day-of-exchange', 'day-of-exchange-canceled'], ['20270114', '20270128']],
  ['Day club Linden', ['day-in-utc', 'day-in-utc-canceled'], ['20270114', '20270128']],
  ['Day care Hazel', ['day-of-exchange-excluded'], ['20270114', '20270128', '20270204']],
  ['Eye test Anton', ['day-without-its-type'], ['20270115']],
  ['Physio Caspar', ['day-excluded-from-times'], ['20270112T150000Z', '20270119T150000Z', '20270202T150000Z']],
  ['Blood test Friedrich', ['two-calendars'], ['20270111T090000Z', '20270112T090000Z']],
  ['Ride Heinrich', ['organizer-without-address'], ['20270113T090000Z']],
  ['Exercise Julius', ['rule-with-spaces'], [11, 12, 13, 14, 15].map((day) => `202701${day}T090000Z`)],
  ['Visit Ludwig', ['odd-end'], ['20270114T090000Z', '20270115T090000Z']],
  ['Nurse Martha', ['odd-duration'], [12, 13, 14, 15, 16].map((day) => `202701${day}T090000Z`)],
  ['Check Otto', ['odd-stamp'], ['20270115T090000Z']],
  ['Weekly walk Richard', ['empty-rule'], ['20270111T090000Z']],
  ['Weekly walk Xaver', ['empty-end'], ['20270117T090000Z']],
  ['Hearing aid Anna', ['without-its-end'], ['20270116T090000Z']],
  ['Dentist Frieda', ['space-before-start'], ['20270116T090000Z']],
]

const read = (file: string) => readFileSync(join(import.meta.dirname, 'odd-files', `${file}.ics`), 'utf8')

function deliver({ f }: World, subject: string, file: string): Promise<void> {
  const calendar = part({ 'Content-Type': 'text/calendar; charset=utf-8' }, shifted(file))
  const fields = {
    From: 'Desk <desk@clinic.example>',
    Subject: subject,
    'Message-ID': `<${randomText(16)}@clinic.example>`,
  }
  const raw = multipartMail(fields, 'mixed', [text('The appointment is attached.'), calendar])
  return openMailer(f.stack).deliver(f.family.lovedOnes[0]?.inboxAddress ?? '', raw)
}

/** When the appointments with this title are that are not canceled. */
function liveIn(feed: string, title: string): string[] {
  const events = unfold(feed).split('BEGIN:VEVENT').slice(1)
  return events
    .filter((one) => one.includes(title) && !one.includes('STATUS:CANCELLED'))
    .map((one) => /DTSTART(?:;VALUE=DATE)?:(\S+)/.exec(one)?.[1] ?? '')
    .sort()
}

test('one odd line of a calendar file loses no appointment, and the day that Exchange cancels is that day', async (t) => {
  const { f, owner } = t.context
  const feed = await createFeed(owner)
  for (const [title, files] of CASES) for (const file of files) await deliver(t.context, title, read(file))
  const now = async () => {
    const { text } = await readFeed(f, feed)
    return CASES.map(([title]) => [title, liveIn(text, title)])
  }
  const wanted = CASES.map(([title, , starts]) => [title, starts.map(shifted)])
  // Each sender is checked first, and checks wait while other families' mail is being stored.
  await becomesTrue(async () => JSON.stringify(await now()) === JSON.stringify(wanted), PATIENCE_MS, READ_EVERY_MS)
  t.deepEqual(await now(), wanted)
})

test('the page of a message says what of its calendar file could not be read, and links to the form to add it', async (t) => {
  const { owner, viewer } = t.context
  const event = (...lines: string[]) => ['BEGIN:VEVENT', `UID:${randomText(12)}`, ...lines, 'END:VEVENT']
  const file = (...lines: string[]) => ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR', ''].join('\r\n')
  const start = 'DTSTART:20270115T090000Z'
  const files: Record<string, string> = {
    'Odd letter': 'This is not a calendar.\r\n',
    'Odd start': file(...event('SUMMARY:Start', 'DTSTART:soon')),
    'Odd second': file(...event(start, 'SUMMARY:First'), ...event('DTSTART:soon')),
    'Odd rule': file(...event(start, 'SUMMARY:Walk', 'RRULE:FREQ=OFTEN')),
    'Odd detail': file(...event(start, 'SUMMARY:Ride', 'DTEND:late')),
    'Good one': file(...event(start, 'SUMMARY:Good')),
  }
  for (const [subject, written] of Object.entries(files)) await deliver(t.context, subject, written)
  const pageOf = async (visitor: Visitor, subject: string) => {
    const inbox = await readUntil(
      () => visitor.get('/'),
      ({ text }) => text.includes(subject),
    )
    const row = inbox.text.slice(inbox.text.lastIndexOf('<li', inbox.text.indexOf(subject)))
    const [, href = ''] = /href="(\/inbox\/lo_[^"]+)"/.exec(row) ?? []
    const { text } = await readUntil(
      () => visitor.get(href),
      (page) =>
        subject === 'Good one' || page.text.includes('could not be read') || page.text.includes('could not read'),
    )
    return text
  }
  const unread =
    /This calendar file could not be read\. <a href="\/appointments\/new\?[^"]+">Add the appointment yourself<\/a>/
  t.regex(await pageOf(owner, 'Odd letter'), unread)
  const page = await pageOf(owner, 'Odd start')
  t.regex(page, unread)
  const [, add = ''] = /href="(\/appointments\/new\?[^"]+)"/.exec(page) ?? []
  t.regex((await owner.get(add.replaceAll('&#38;', '&'))).text, /name="title"[^>]* value="Odd start"/)
  const second = await pageOf(owner, 'Odd second')
  t.regex(second, /Some appointments in this calendar file could not be read\. <a[^>]+>Add them yourself/)
  t.regex(second, /<bdi>First/)
  t.regex(await pageOf(owner, 'Odd rule'), /could not read how often an appointment repeats\. Only its first date/)
  t.regex(await pageOf(owner, 'Odd detail'), /Some details in this calendar file could not be read/)
  t.notRegex(await pageOf(owner, 'Good one'), /could not (?:be )?read/)
  const ofViewer = await pageOf(viewer, 'Odd start')
  t.regex(ofViewer, /This calendar file could not be read\./)
  t.notRegex(ofViewer, /appointments\/new/)
})
