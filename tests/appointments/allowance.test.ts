import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import { type Db, MongoClient } from 'mongodb'
import { findGivingWay } from '../../services/care-circle/src/appointments/make-space.ts'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { deliver } from '../inbox/_smtp-client.ts'
import { multipartMail, part, text } from '../mail-corpus/build-mail.ts'
import { pathOf } from './_calendar.ts'
import { basic, calendar, type InvitationWords, inDays, newUid } from './_invitations.ts'

type World = { f: Guest & { sink: Sink }; mongo: MongoClient; db: Db }
type Home = { owner: Visitor; viewer: Visitor; workspaceId: string; lovedOneId: string; address: string; key: string }

const test = (anyTest as TestFn<World>).serial
/** Of a sender without proof. */
const ALLOWANCE = 30

test.before(async ({ context }) => {
  context.f = await joinFamily()
  context.mongo = await new MongoClient(context.f.stack.databaseUri('care-circle')).connect()
  context.db = context.mongo.db()
})
test.after.always(async ({ context }) => {
  await context.mongo?.close()
  await context.f?.[Symbol.asyncDispose]()
})

async function newHome({ f }: World): Promise<Home> {
  const { people, workspaceId, lovedOnes, keys } = await f.another({ others: ['viewer'] })
  const { id: lovedOneId = '', inboxAddress: address = '' } = lovedOnes[0] ?? {}
  const [owner, viewer] = [await signIn(f, f.sink, people.owner), await signIn(f, f.sink, people.viewer)]
  return { owner, viewer, workspaceId, lovedOneId, address, key: keys.owner }
}

/** One mail with these events. */
async function send(
  { f }: World,
  { address }: Home,
  from: string,
  events: Partial<InvitationWords>[],
  subject = 'Visit',
) {
  const files = events.map((one) => calendar({ uid: newUid(), organizer: from, ...one }))
  const [first = '', ...others] = files
  const bodies = others.map((file) => file.slice(file.indexOf('BEGIN:VEVENT'), file.indexOf('END:VCALENDAR')))
  const file = first.replace('END:VCALENDAR', `${bodies.join('')}END:VCALENDAR`)
  const fields = { From: from, Subject: subject, 'Message-ID': `<${randomText(16)}@clinic.example>` }
  const type = { 'Content-Type': 'text/calendar; charset=utf-8; method=REQUEST' }
  const raw = multipartMail(fields, 'alternative', [text('See you'), part(type, file)])
  const answer = await deliver(f.stack.smtpPort, address, raw.toString().trimEnd())
  if (!answer.startsWith('250')) throw new Error(answer)
}

const rowsOf = ({ db }: World, { workspaceId }: Home) =>
  db
    .collection<{ senderAddress: string; lastEndsAt: Date; activeUntil: Date }>('appointments')
    .find({ workspaceId })
    .toArray()

/** Mail sent before has been handled when this newer one has. */
async function settle(world: World, home: Home): Promise<void> {
  const from = `${randomText(8)}@last.example`
  await send(world, home, from, [{ start: basic(inDays(1)) }])
  await readUntil(
    () => rowsOf(world, home),
    (rows) => rows.some(({ senderAddress }) => senderAddress === from),
  )
}

const stranger = 'x@evil.example'
const far = (count: number, year: number) =>
  Array.from({ length: count }, (_, nth) => ({ start: `${year}0101T${String(nth % 24).padStart(2, '0')}0000Z` }))
const near = (count: number, days: number) =>
  Array.from({ length: count }, (_, nth) => ({ start: basic(inDays(days + nth)) }))

async function pageOf({ owner, lovedOneId }: Home, subject: string) {
  const list = await owner.get(`/inbox/${lovedOneId}`)
  const id = new RegExp(`/inbox/${lovedOneId}/(msg_[a-z0-9]+)[^>]*><bdi>${subject}`).exec(list.text)?.[1] ?? ''
  return `/inbox/${lovedOneId}/${id}`
}

/** The page of a mail, once it says this. The calendar may be behind, or away for a moment. */
async function says(home: Home, subject: string, words: RegExp): Promise<string> {
  const path = await pageOf(home, subject)
  const { text } = await readUntil(
    () => home.owner.get(path),
    (page) => words.test(page.text),
  )
  return text
}

test('a stranger who fills the calendar with the years 8990 to 8998 keeps no clinic out, and takes nothing', async (t) => {
  const world = t.context
  const home = await newHome(world)
  for (let nth = 0; nth < 6; nth += 1) await send(world, home, stranger, far(50, 8990 + nth), `Far ${nth}`)
  await send(world, home, 'desk@clinic.example', [{ start: basic(inDays(3)), summary: 'Eye doctor' }])
  await settle(world, home)
  const senders = (await rowsOf(world, home)).map(({ senderAddress }) => senderAddress)
  t.true(senders.includes('desk@clinic.example'))
  t.false(senders.includes(stranger))
  t.truthy(
    await says(
      home,
      'Far 0',
      /50 appointments are not in your calendar\. <a href="[^"]*\/appointments\/new[^"]*">Add them yourself/,
    ),
  )
})

test('a sender without proof has a small allowance, of which the farthest gives way, and its mail says so', async (t) => {
  const world = t.context
  const home = await newHome(world)
  const untilStored = (isStored: (rows: Awaited<ReturnType<typeof rowsOf>>) => boolean) =>
    readUntil(
      () => rowsOf(world, home),
      (rows) => isStored(rows.filter(({ senderAddress }) => senderAddress === stranger)),
    )
  await send(world, home, stranger, near(ALLOWANCE, 10), 'Many')
  await untilStored((rows) => rows.length === ALLOWANCE)
  await send(world, home, stranger, [{ start: basic(inDays(2)) }], 'Soon')
  await untilStored((rows) => rows.some(({ lastEndsAt }) => lastEndsAt < inDays(3)))
  await send(world, home, stranger, [{ start: basic(inDays(300)) }], 'Late')
  const late = await pageOf(home, 'Late')
  await readUntil(
    () => home.owner.get(late),
    (page) => page.text.includes('Not in your calendar'),
  )
  const own = (await rowsOf(world, home)).filter(({ senderAddress }) => senderAddress === stranger)
  t.is(own.length, ALLOWANCE)
  const last = Math.max(...own.map(({ lastEndsAt }) => lastEndsAt.getTime()))
  t.true(last < inDays(10 + ALLOWANCE - 1).getTime(), 'the farthest of the first mail gave way to the nearer one')
  t.truthy(await says(home, 'Late', /Not in your calendar\. <a [^>]+>Add it yourself/))
  t.truthy(await says(home, 'Many', /Not in your calendar\./))
  t.notRegex((await home.owner.get(await pageOf(home, 'Soon'))).text, /Not in your calendar/)
  t.notRegex((await home.viewer.get(await pageOf(home, 'Late'))).text, /Add it yourself/)
})

test('what was added by hand, or taken later, is no longer said to be missing', async (t) => {
  const world = t.context
  const home = await newHome(world)
  await send(world, home, stranger, [{ start: basic(inDays(900)), summary: 'Checkup' }], 'Next year')
  const uid = newUid()
  await send(world, home, stranger, [{ uid, start: basic(inDays(900)) }], 'Moved later')
  await send(world, home, stranger, [{ uid, start: basic(inDays(20)), sequence: 1 }], 'Now near')
  await settle(world, home)
  t.notRegex((await home.owner.get(await pageOf(home, 'Moved later'))).text, /Not in your calendar/)
  const page = await says(home, 'Next year', /Not in your calendar/)
  const [, href = ''] = /Not in your calendar\. <a href="([^"]+)"/.exec(page) ?? []
  const form = await home.owner.get(href.replaceAll('&#38;', '&').replaceAll('&amp;', '&'))
  const fields = [...form.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, value],
  )
  const day = inDays(900).toISOString().slice(0, 10)
  const added = await home.owner.submit('/appointments/new', {
    ...Object.fromEntries(fields),
    for: home.lovedOneId,
    title: 'Checkup',
    day,
    time: '',
    length: '0',
    place: '',
  })
  t.is(added.status, 303)
  t.notRegex((await home.owner.get(await pageOf(home, 'Next year'))).text, /Not in your calendar/)
})

test('strangers under many addresses fill only their own share', async (t) => {
  const world = t.context
  const home = await newHome(world)
  await send(world, home, 'desk@small-clinic.example', [{ start: basic(inDays(200)), summary: 'Surgery' }])
  await settle(world, home)
  for (let nth = 0; nth < 8; nth += 1) await send(world, home, `x${nth}@evil.example`, near(ALLOWANCE, 2))
  await settle(world, home)
  const rows = await rowsOf(world, home)
  t.true(rows.some(({ senderAddress }) => senderAddress === 'desk@small-clinic.example'))
  // Some that arrive at the same moment may each see the last place free. The next one corrects it.
  t.true(rows.length < 160, `${rows.length}`)
})

test('what is canceled or over does not count', async (t) => {
  const world = t.context
  const home = await newHome(world)
  const uids = Array.from({ length: ALLOWANCE }, () => newUid())
  await send(
    world,
    home,
    stranger,
    uids.map((uid, nth) => ({ uid, start: basic(inDays(10 + nth)) })),
  )
  await send(world, home, stranger, near(ALLOWANCE, -100))
  await readUntil(
    () => rowsOf(world, home),
    (rows) => rows.length === 2 * ALLOWANCE,
  )
  const path = pathOf((await home.owner.get('/appointments')).text, 'Eye doctor')
  const before = (await rowsOf(world, home)).filter(({ activeUntil }) => activeUntil > new Date()).length
  t.is((await home.owner.submit(`${path}/cancel`, {})).status, 303)
  const after = (await rowsOf(world, home)).filter(({ activeUntil }) => activeUntil > new Date()).length
  t.is(after, before - 1)
})

test('an appointment that somebody goes to gives way to nothing', async (t) => {
  const world = t.context
  const home = await newHome(world)
  await send(world, home, stranger, [{ start: basic(inDays(300)), summary: 'Chosen' }])
  await settle(world, home)
  const path = pathOf((await home.owner.get('/appointments')).text, 'Chosen')
  t.is((await home.owner.submit(`${path}/going`, { going: 'yes' })).status, 303)
  await send(world, home, stranger, near(ALLOWANCE + 5, 2))
  await settle(world, home)
  t.is((await home.owner.get(path)).status, 200)
})

test('everything from a sender can be removed after a question, and the same mail does not bring it back', async (t) => {
  const world = t.context
  const home = await newHome(world)
  await send(
    world,
    home,
    stranger,
    near(3, 10).map((one) => ({ ...one, summary: 'Spam' })),
    'Spam',
  )
  await send(world, home, 'desk@clinic.example', [{ start: basic(inDays(3)), summary: 'Eye doctor' }])
  await settle(world, home)
  const path = pathOf((await home.owner.get('/appointments')).text, 'Spam')
  const [, link = ''] =
    /href="([^"]+)">Remove everything from this sender/.exec((await home.owner.get(path)).text) ?? []
  t.notRegex((await home.viewer.get(path)).text, /Remove everything/)
  t.is((await home.viewer.submit(link, {})).status, 403)
  const other = await signIn(world.f, world.f.sink, (await world.f.another()).people.owner)
  t.is((await other.submit(link, {})).status, 404)
  const question = await home.owner.get(link)
  t.regex(question.text, /3 appointments are removed/)
  t.is((await rowsOf(world, home)).filter(({ senderAddress }) => senderAddress === stranger).length, 3)
  t.is((await home.owner.submit(link, {})).status, 303)
  const page = await home.owner.get('/appointments')
  t.notRegex(page.text, /Spam/)
  t.regex(page.text, /Eye doctor/)
  await using inbox = await new MongoClient(world.f.stack.databaseUri('inbox')).connect()
  const again = { $set: { calendarPending: true } }
  await inbox.db().collection('messages').updateMany({ workspaceId: home.workspaceId }, again)
  await settle(world, home)
  t.notRegex((await home.owner.get('/appointments')).text, /Spam/)
  t.truthy(await says(home, 'Spam', /3 appointments are not in your calendar/))
})

test('an event without UID belongs to its sender, and no other mail moves or cancels it', async (t) => {
  const world = t.context
  const home = await newHome(world)
  const from = 'desk@clinic.example'
  const start = basic(inDays(5))
  const plain = { uid: '', start, summary: 'Eye doctor' }
  await send(world, home, from, [plain])
  await settle(world, home)
  await send(world, home, from, [plain])
  const attacks = [
    { ...plain, sequence: 9, minutes: 600, more: ['STATUS:CANCELLED'] },
    { ...plain, sequence: 9, more: ['LOCATION:Evil Street 1'] },
  ]
  for (const attack of attacks) for (const sender of [from, stranger]) await send(world, home, sender, [attack])
  await settle(world, home)
  const own = (await rowsOf(world, home)).filter(({ senderAddress }) => senderAddress === from)
  t.is(own.length, 1, 'the same mail again adds nothing')
  t.is(own[0]?.activeUntil.getTime(), inDays(5).getTime() + 30 * 60_000)
})

test('a stranger who moves an appointment all day uses up only the mail about strangers', async (t) => {
  const world = t.context
  const { f } = world
  const { people, workspaceId, lovedOnes, keys } = await f.another({ others: ['coordinator'] })
  const { id: lovedOneId = '', inboxAddress: address = '' } = lovedOnes[0] ?? {}
  const [owner, other] = [await signIn(f, f.sink, people.owner), await signIn(f, f.sink, people.coordinator)]
  const home: Home = { owner, viewer: other, workspaceId, lovedOneId, address, key: keys.owner }
  const uid = newUid()
  const move = (sequence: number) =>
    send(world, home, stranger, [{ uid, sequence, start: basic(inDays(5 + sequence)), summary: 'Spam' }])
  await move(0)
  const day = inDays(4).toISOString().slice(0, 10)
  const form = {
    request: randomText(8),
    message: '',
    for: lovedOneId,
    title: 'Walk',
    day,
    time: '',
    length: '0',
    place: '',
  }
  t.is((await other.submit('/appointments/new', form)).status, 303)
  const { text: list } = await readUntil(
    () => owner.get('/appointments'),
    (page) => ['Spam', 'Walk'].every((title) => pathOf(page.text, title) !== ''),
  )
  for (const title of ['Spam', 'Walk']) await owner.submit(`${pathOf(list, title)}/going`, { going: 'yes' })
  const mails = () =>
    f.sink.mails.filter(({ to, headers }) => to.includes(people.owner) && /^Subject: An appointment/m.test(headers))
  for (let nth = 1; nth <= 6; nth += 1) {
    await move(nth)
    await readUntil(
      () => world.db.collection('appointments').findOne({ workspaceId, senderAddress: stranger }),
      (row) => row?.version === nth + 1 && row.noticeDueAt === undefined,
    )
  }
  const before = await f.sink.waitFor(people.owner).then(mails)
  t.true(before.length <= 5, `${before.length}`)
  t.is((await other.submit(`${pathOf(list, 'Walk')}/cancel`, {})).status, 303)
  await readUntil(
    async () => mails().length,
    (count) => count === 6,
  )
  t.is(mails().length, 6)
})

test('of those who share a calendar, the farthest of the fullest gives way', (t) => {
  const at = (day: number) => new Date(Date.UTC(2026, 0, day))
  const one = (id: string, sender: string, day: number, isKept = false) => ({ id, sender, nextAt: at(day), isKept })
  const rows = [one('a', 'clinic', 30), one('b', 'evil', 2), one('c', 'evil', 9), one('d', 'evil', 20, true)]
  t.is(findGivingWay(rows)?.id, 'c')
  t.is(findGivingWay([one('a', 'clinic', 30), one('b', 'other', 2)])?.id, 'a')
  t.is(findGivingWay([one('a', 'clinic', 30, true)]), undefined)
})
