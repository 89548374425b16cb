import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import type { Document } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { findOpened } from '../_sealed.ts'
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
const DEADLINE_MS = 180_000
/** The files are about January 2027. Later, whole years of weeks later, so that weekdays and the clock change stay. */
const SHIFT_MS = Math.max(0, Math.ceil((Date.now() - Date.UTC(2027, 0, 4)) / (364 * DAY_MS))) * 364 * DAY_MS

function shifted(written: string): string {
  return written.replaceAll(/2027(\d\d)(\d\d)/g, (_, month, day) => {
    const at = Date.UTC(2027, Number(month) - 1, Number(day)) + SHIFT_MS
    return new Date(at).toISOString().slice(0, 10).replaceAll('-', '')
  })
}

const days = (...some: number[]) => some.map((day) => `202701${day}`)
const at = (clock: string, ...some: number[]) => some.map((day) => `202701${day}T${clock}00Z`)

/** Mails from public reports, in their order, and what of them a family must have. */
const CASES: [title: string, mails: string[], starts: string[]][] = [
  ['Respite care Oakhill', ['respite-care-oakhill-1', 'respite-care-oakhill-2'], days(14, 28)],
  ['Day club Linden', ['day-club-linden-1', 'day-club-linden-2'], days(14, 28)],
  ['Day care Hazel', ['day-care-hazel'], [...days(14, 28), '20270204']],
  ['Eye test Anton', ['eye-test-anton'], days(15)],
  ['Physio Caspar', ['physio-caspar'], [...at('1500', 12, 19), '20270202T150000Z']],
  ['Blood test Friedrich', ['blood-test-friedrich'], at('0900', 11, 12)],
  ['Ride Heinrich', ['ride-heinrich'], at('0900', 13)],
  ['Exercise Julius', ['exercise-julius'], at('0900', 11, 12, 13, 14, 15)],
  ['Visit Ludwig', ['visit-ludwig'], at('0900', 14, 15)],
  ['Nurse Martha', ['nurse-martha'], at('0900', 12, 13, 14, 15, 16)],
  ['Check Otto', ['check-otto'], at('0900', 15)],
  ['Weekly walk Richard', ['weekly-walk-richard'], at('0900', 11)],
  ['Weekly walk Xaver', ['weekly-walk-xaver'], at('0900', 17)],
  ['Hearing aid Anna', ['hearing-aid-anna'], at('0900', 16)],
  ['Dentist Frieda', ['dentist-frieda'], at('0900', 16)],
  ['Scan Ilse', ['scan-ilse-1', 'scan-ilse-2'], []],
  ['Scan Klara', ['scan-klara-1', 'scan-klara-2'], at('1400', 19)],
  ['Scan Maria', ['scan-maria-1', 'scan-maria-2'], []],
  ['Conference Olga', ['conference-olga-1', 'conference-olga-2'], at('0900', 20)],
  ['Lab Quirin', ['lab-quirin'], []],
  ['Birthday of Rosa', ['birthday-of-rosa'], birthdays()],
  ['Dialysis Nina', ['dialysis-nina'], at('2000', 15)],
  ['Office Quentin', ['office-quentin'], at('1830', 11)],
  ['Talk Volker', ['talk-volker'], at('1900', 15)],
  ['Call Xaver', ['call-xaver'], at('1300', 16)],
  ['Call Zoe', ['call-zoe'], at('1200', 16)],
  ['Call Christa', ['call-christa'], at('1500', 16)],
  ['Call Esther', ['call-esther'], at('1600', 16)],
  ['Long day Moritz', ['long-day-moritz'], days(18)],
  ['Appointment Odilo with Dr. Müller\\, Köln', ['appointment-odilo'], at('0900', 20)],
  ['Termin Ulla Müller', ['termin-ulla'], at('0900', 20)],
  ['Video visit by description', ['video-visit-by-description'], at('1100', 13)],
  ['Video visit by url', ['video-visit-by-url'], at('1100', 13)],
  ['Video visit by x-microsoft', ['video-visit-by-x-microsoft'], at('1100', 13)],
  ['Visit with a Windows zone', ['windows-zone-on-the-card'], at('0800', 14)],
]

/** What the feed and the card say besides. */
const LINKS = ['https://video.clinic.example/j/4711', 'https://video.clinic.example/room/ada']
const MORE = [...LINKS, 'https://video.clinic.example/l/meetup/19', 'Dr. Müller\\, Köln']

/** Each January 21 for two years, and of the month before. */
function birthdays(): string[] {
  const now = Date.now()
  const year = new Date(now).getUTCFullYear()
  const all = [0, 1, 2, 3].map((later) => Date.UTC(year + later, 0, 21))
  const near = all.filter((day) => day >= now - 31 * DAY_MS && day <= now + 2 * 366 * DAY_MS)
  return near.map((day) => new Date(day).toISOString().slice(0, 10).replaceAll('-', ''))
}

/** As it was reported, about the same weekdays in the future. */
function read(mail: string): string {
  const raw = readFileSync(join(import.meta.dirname, 'odd-files', `${mail}.eml`), 'utf8')
  const [, head = '', encoded = '', tail = ''] = /^(.*base64\r?\n\r?\n)(.*?)(\r?\n--part.*)$/s.exec(raw) ?? []
  if (encoded === '') return shifted(raw)
  const file = shifted(Buffer.from(encoded, 'base64').toString('latin1'))
  return `${head}${Buffer.from(file, 'latin1').toString('base64').replaceAll(/.{76}/g, '$&\r\n')}${tail}`
}

function deliver({ f }: World, raw: Buffer | string): Promise<void> {
  return openMailer(f.stack).deliver(f.family.lovedOnes[0]?.inboxAddress ?? '', raw)
}

function letter(subject: string, file: string, type = 'text/calendar; charset=utf-8'): Buffer {
  const calendar = part({ 'Content-Type': type }, shifted(file))
  const fields = {
    From: 'Desk <desk@clinic.example>',
    Subject: subject,
    'Message-ID': `<${randomText(16)}@clinic.example>`,
  }
  return multipartMail(fields, 'mixed', [text('The appointment is attached.'), calendar])
}

/** When the appointments with this title are that are not canceled. */
function liveIn(feed: string, title: string): string[] {
  const events = unfold(feed).split('BEGIN:VEVENT').slice(1)
  return events
    .filter((one) => one.includes(title) && !one.includes('STATUS:CANCELLED'))
    .map((one) => /DTSTART(?:;VALUE=DATE)?:(\S+)/.exec(one)?.[1] ?? '')
    .sort()
}

test('whatever a calendar program writes, the appointments are in the calendar, and canceled ones are not', async (t) => {
  const { f, owner } = t.context
  const feed = await createFeed(owner)
  for (const [, mails] of CASES) for (const mail of mails) await deliver(t.context, read(mail))
  const now = async () => {
    const { text } = await readFeed(f, feed)
    return CASES.map(([title]) => [title, liveIn(text, title)])
  }
  const wanted = CASES.map(([title, , starts]) => [title, starts.map(shifted)])
  // Each sender is checked first, and checks wait while other families' mail is being stored.
  await becomesTrue(async () => JSON.stringify(await now()) === JSON.stringify(wanted), DEADLINE_MS, READ_EVERY_MS)
  t.deepEqual(await now(), wanted)
  const { text } = await readFeed(f, feed)
  for (const more of MORE) t.true(unfold(text).includes(more), more)
  for (const title of ['Respite care Oakhill', 'Day club Linden'])
    t.regex(unfold(text), new RegExp(`SUMMARY:Canceled: Not verified: ${title}`))
})

test('the card says the time and the link that the calendar says', async (t) => {
  const { owner } = t.context
  const pageOf = (subject: string) => openMessage(owner, subject, (page) => page.includes('class="invitation'))
  const page = await pageOf('Visit with a Windows zone')
  t.notRegex(page, /no time zone given/)
  const [day] = at('0800', 14).map(shifted)
  const when = day?.replace(/^(....)(..)(..)T(..)(..).*/, '$1-$2-$3T$4:$5')
  t.true(page.includes(`datetime="${when}`), when)
  for (const [index, subject] of ['Video visit by description', 'Video visit by url'].entries())
    t.true((await pageOf(subject)).includes(LINKS[index] ?? ''), subject)
})

test('a page with an invitation reads no file, and mail of an older version is read when it is opened', async (t) => {
  const { f, owner } = t.context
  await using mongo = await openDatabase(f.stack, 'inbox')
  const messages = mongo.db().collection('messages')
  const of = { workspaceId: f.family.workspaceId }
  const isOfOlga = ({ subject }: Document) => subject === 'Conference Olga'
  const find = (more: object) => findOpened(f.stack, mongo.db(), 'messages', { ...of, ...more }, isOfOlga)
  const card = (page: string) => page.includes('class="invitation')
  await readUntil(
    () => find({ calendar: { $exists: true }, calendarPending: null }),
    (stored) => stored.length === 2,
  )
  const [first] = (await find({})).sort((one, other) => one.receivedAt - other.receivedAt)
  const path = `/inbox/${first?.lovedOneId}/${String(first?._id).split('/').at(-1)}`
  const row = { _id: first?._id as never }
  const readable = await owner.get(path)
  t.true(card(readable.text))
  t.regex(readable.text, /Tell them we’re coming/)
  await messages.updateOne(row, { $unset: { original: 1 } })
  const without = await owner.get(path)
  t.true(card(without.text), 'without the file')
  t.regex(without.text, /Tell them we’re coming/)
  await messages.updateOne(row, { $set: { original: first?.original }, $unset: { calendar: 1 } })
  await readUntil(
    () => owner.get(path),
    ({ text }) => card(text),
  )
  const [again] = await find(row)
  t.deepEqual(again?.calendar, first?.calendar, 'stored again')
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
  for (const [subject, written] of Object.entries(files)) await deliver(t.context, letter(subject, written))
  // Whatever type it has.
  await deliver(t.context, letter('Odd type', files['Odd rule'] ?? '', 'application/x-download; name="visit.ics"'))
  const pageOf = (visitor: Visitor, subject: string) =>
    openMessage(visitor, subject, (page) => subject === 'Good one' || /could not (?:be )?read/.test(page))
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
  t.regex(await pageOf(owner, 'Odd type'), /could not read how often an appointment repeats/)
  t.regex(await pageOf(owner, 'Odd detail'), /Some details in this calendar file could not be read/)
  t.notRegex(await pageOf(owner, 'Good one'), /could not (?:be )?read/)
  const ofViewer = await pageOf(viewer, 'Odd start')
  t.regex(ofViewer, /This calendar file could not be read\./)
  t.notRegex(ofViewer, /appointments\/new/)
})

/** The page of the newest message with this subject, once it says what is expected. */
async function openMessage(visitor: Visitor, subject: string, isReady: (page: string) => boolean): Promise<string> {
  const inbox = await readUntil(
    () => visitor.get('/'),
    ({ text }) => text.includes(subject),
  )
  const row = inbox.text.slice(inbox.text.lastIndexOf('<li', inbox.text.indexOf(subject)))
  const [, href = ''] = /href="(\/inbox\/lo_[^"]+)"/.exec(row) ?? []
  const { text } = await readUntil(
    () => visitor.get(href.replaceAll('&#38;', '&')),
    (page) => isReady(page.text),
  )
  return text
}
