import anyTest, { type TestFn } from 'ava'
import ical from 'node-ical'
import { convertIcsCalendar } from 'ts-ics'
import { openDatabase } from '../_database.ts'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { createFeed, pathOf, readFeed, unfold } from './_calendar.ts'
import { basic, inDays, invitation, newUid } from './_invitations.ts'

type World = { f: Guest & { sink: Sink }; owner: Visitor; viewer: Visitor }

const test = (anyTest as TestFn<World>).serial

test.before(async ({ context }) => {
  const f = await joinFamily()
  const { people, lovedOnes } = f.family
  context.f = f
  context.owner = await signIn(f, f.sink, people.owner)
  context.viewer = await signIn(f, f.sink, people.viewer)
  const deliver = (raw: Buffer) => openMailer(f.stack).deliver(lovedOnes[0]?.inboxAddress ?? '', raw)
  await deliver(
    invitation({
      uid: newUid(),
      summary: 'Heart\\, lungs\\; and “größe” — a long title that needs to be folded 🫀',
      start: basic(inDays(2)),
    }),
  )
  const weekly = ['RRULE:FREQ=WEEKLY;COUNT=5']
  await deliver(invitation({ uid: newUid(), summary: 'Infusion', start: basic(inDays(1)), more: weekly }))
  await context.owner.submit('/appointments/new', {
    for: lovedOnes[1]?.id ?? '',
    title: 'Hairdresser',
    day: inDays(6).toISOString().slice(0, 10),
    time: '',
    length: '0',
    request: 'one',
  })
  await readUntil(
    () => context.owner.get('/appointments'),
    ({ text }) => ['Heart', 'Infusion', 'Hairdresser'].every((one) => text.includes(one)),
  )
})
test.after.always(({ context }) => context.f?.[Symbol.asyncDispose]())

test('other calendar libraries read the same appointments from an address', async (t) => {
  const { f, viewer } = t.context
  const { text } = await readFeed(f, await createFeed(viewer))
  const byNodeIcal = Object.values(ical.sync.parseICS(text)).flatMap((one) =>
    one?.type === 'VEVENT' ? [`${one.uid} ${one.start.toISOString().slice(0, 10)} ${String(one.summary)}`] : [],
  )
  const byTsIcs = (convertIcsCalendar(undefined, text).events ?? []).map(
    ({ uid, start, summary }) => `${uid} ${start.date.toISOString().slice(0, 10)} ${summary}`,
  )
  t.is(byNodeIcal.length, 7)
  t.deepEqual(byTsIcs.sort(), byNodeIcal.sort())
  t.true(byNodeIcal.some((one) => one.includes('Heart, lungs; and “größe” — a long title that needs to be folded 🫀')))
  t.true(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75))
  t.regex(text, /REFRESH-INTERVAL;VALUE=DURATION:PT1H/)
})

test('an address says what it should: of one person, and times only', async (t) => {
  const { f, owner } = t.context
  const [rosa, jorge] = f.family.lovedOnes
  const ofJorge = await readFeed(f, await createFeed(owner, { for: jorge?.id ?? '' }))
  t.true(ofJorge.text.includes('Hairdresser'))
  t.false(ofJorge.text.includes('Infusion'))
  const times = await readFeed(f, await createFeed(owner, { for: rosa?.id ?? '', details: 'no' }))
  t.regex(times.text, /SUMMARY:Not verified: Appointment for Rosa Almeida/)
  for (const secret of ['Infusion', 'Main Street', 'Clinic desk', 'URL']) t.false(times.text.includes(secret), secret)
})

test('a program that has the newest version gets 304, and no cookie', async (t) => {
  const { f, owner } = t.context
  const path = await createFeed(owner)
  const first = await readFeed(f, path)
  const etag = String(first.headers.etag)
  t.regex(etag, /^"[\w-]+"$/)
  const second = await readFeed(f, path, { 'if-none-match': etag })
  t.is(second.status, 304)
  t.is(second.text, '')
  t.is(first.headers['set-cookie'], undefined)
  t.is(first.headers['x-robots-tag'], 'noindex')
})

test('addresses are stored as hashes, and a made-up one finds nothing', async (t) => {
  const { f, owner } = t.context
  const path = await createFeed(owner)
  const token = path.slice('/calendar/'.length, -'.ics'.length)
  await using mongo = await openDatabase(f.stack, 'care-circle')
  const feeds = await mongo.db().collection('calendar_feeds').find().toArray()
  t.false(JSON.stringify(feeds).includes(token))
  t.is((await readFeed(f, `/calendar/${'0'.repeat(32)}.ics`)).status, 404)
  t.is((await readFeed(f, path.replace('.ics', ''))).status, 404)
})

test('an address ends when it is revoked, and its form does not bring it back', async (t) => {
  const { f, owner } = t.context
  const path = await createFeed(owner)
  const page = await owner.get('/appointments/feeds')
  for (const [, id] of page.text.matchAll(/feeds\/(feed_[0-9a-z]+)\/revoke/g))
    await owner.submit(`/appointments/feeds/${id}/revoke`, {})
  t.is((await readFeed(f, path)).status, 404)
  await owner.get('/appointments/feeds/created')
  t.is((await readFeed(f, path)).status, 404)
})

test('an address ends with the membership', async (t) => {
  const { f, owner, viewer } = t.context
  const path = await createFeed(viewer)
  t.is((await readFeed(f, path)).status, 200)
  const circle = await owner.get('/care-circle')
  const [, id = ''] = /\/care-circle\/people\/(per_[0-9a-z]+)"[^>]*>(?:(?!<\/a>).)*Marta/s.exec(circle.text) ?? []
  const removed = await owner.submit(`/care-circle/people/${id}/remove`, { confirm: 'yes' })
  t.is(removed.status, 303, removed.text.slice(0, 800))
  t.is((await readFeed(f, path)).status, 404)
})

test('the download of a family has its appointments, as a list and as a calendar', async (t) => {
  const { f, owner } = t.context
  await using mongo = await openDatabase(f.stack, 'care-circle')
  const { workspaceId } = f.family
  const rows = await mongo.db().collection('appointments').countDocuments({ workspaceId })
  t.is(rows, 3)
  const { text } = await owner.submit('/settings/your-data/download', {})
  for (const name of ['care-circle/appointments.json', 'care-circle/appointments.ics'])
    t.true(text.includes(name), name)
})

test('one visit of a series is canceled alone, and a member’s own appointment changes once for two who edit it', async (t) => {
  const { f, owner } = t.context
  const list = await owner.get('/appointments')
  const infusion = pathOf(list.text, 'Infusion')
  await owner.submit(infusion.replace('?', '/cancel?'), {})
  const { text } = await readFeed(f, await createFeed(owner))
  const infusions = unfold(text)
    .split('BEGIN:VEVENT')
    .filter((one) => one.includes('Infusion'))
  t.is(infusions.filter((one) => one.includes('STATUS:CANCELLED')).length, 1)
  t.is(infusions.length, 5)

  const own = pathOf(list.text, 'Hairdresser')
  const form = await owner.get(`${own}/change`)
  const version = /name="version" value="(\d+)"/.exec(form.text)?.[1] ?? ''
  const fields = {
    version,
    title: 'Hairdresser',
    day: inDays(7).toISOString().slice(0, 10),
    time: '',
    length: '0',
    place: '',
  }
  t.is((await owner.submit(`${own}/change`, { ...fields, place: 'Baker Street' })).status, 303)
  const late = await owner.submit(`${own}/change`, { ...fields, place: 'Elm Street' })
  t.is(late.status, 422)
  t.regex(late.text, /Somebody else has just changed/)
  t.regex((await owner.get(own)).text, /Baker Street/)
})

test('nothing of it remains when the family is deleted', async (t) => {
  const { f, owner } = t.context
  const { workspaceId } = f.family
  const path = await createFeed(owner)
  const deleted = await owner.submit('/settings/your-data/delete-family', { confirm: 'The Almeida family' })
  t.is(deleted.status, 303)
  t.is((await readFeed(f, path)).status, 404)
  await using mongo = await openDatabase(f.stack, 'care-circle')
  for (const name of ['appointments', 'calendar_feeds'])
    await readUntil(
      () => mongo.db().collection(name).countDocuments({ workspaceId }),
      (count) => count === 0,
    )
  t.pass()
})
