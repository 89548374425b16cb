import anyTest, { type TestFn } from 'ava'
import { openAsOperator } from '../_database.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { becomesTrue } from '../_wait.ts'
import { pathOf } from './_calendar.ts'
import { inDays } from './_invitations.ts'

type World = { f: Guest & { sink: Sink }; owner: Visitor; coordinator: Visitor; viewer: Visitor }

const HOUR_MS = 3_600_000
const test = (anyTest as TestFn<World>).serial

test.beforeEach(async ({ context }) => {
  const f = await joinFamily()
  const { people } = f.family
  const [owner, coordinator, viewer] = [people.owner, people.coordinator, people.viewer]
  Object.assign(context, { f })
  context.owner = await signIn(f, f.sink, owner)
  context.coordinator = await signIn(f, f.sink, coordinator)
  context.viewer = await signIn(f, f.sink, viewer)
  for (const visitor of [context.owner, context.coordinator, context.viewer])
    visitor.adopt('time_zone', 'America/New_York')
})
test.afterEach.always(({ context }) => context.f?.[Symbol.asyncDispose]())

const mailsTo = ({ f }: World, email: string, subject: RegExp) =>
  f.sink.mails.filter(({ to, headers }) => to.includes(email) && subject.test(headers))

const remindersTo = (world: World, email: string) => mailsTo(world, email, /^Subject: Reminder: an appointment for/m)

/** Adds an appointment in two days. @returns its path */
async function add({ f, owner }: World, title: string, time = '10:20'): Promise<string> {
  const day = inDays(2).toISOString().slice(0, 10)
  const form = { for: f.family.lovedOnes[0]?.id ?? '', title, place: 'Clinic', day, time, length: '30', request: title }
  await owner.submit('/appointments/new', form)
  return pathOf((await owner.get('/appointments')).text, title)
}

type Row = { _id: string; occurrences: { startsAt: Date }[]; remindDueAt?: Date; remindedUntil?: Date }

/** As if it began in so many hours, and those who go had said so last week. */
async function startsIn({ f }: World, path: string, hours: number): Promise<void> {
  await using mongo = await openAsOperator(f.stack, 'care-circle')
  const rows = mongo.db().collection<Row>('appointments')
  const weekAgo = new Date(Date.now() - 7 * 24 * HOUR_MS)
  const [, _id = ''] = /appointments\/([^?]+)/.exec(path) ?? []
  const startsAt = new Date(Date.now() + hours * HOUR_MS)
  await rows.updateOne(
    { _id },
    {
      $set: {
        'occurrences.$[].startsAt': startsAt,
        'going.$[].since': weekAgo,
        remindedUntil: new Date(startsAt.getTime() - 25 * HOUR_MS),
        remindDueAt: new Date(),
      },
    },
  )
  const isLookedAt = async () =>
    ((await rows.findOne({ _id }))?.remindedUntil ?? weekAgo) > new Date(Date.now() - 60_000)
  await becomesTrue(isLookedAt)
}

test('whoever goes is reminded a day before, once, in their time zone, and nobody else is', async (t) => {
  const world = t.context
  const { f, owner, coordinator } = world
  const { people } = f.family
  const path = await add(world, 'Eye doctor')
  await owner.submit(`${path}/going`, { going: 'yes' })
  await untilNoMailIsDue(f.stack, f.family.workspaceId)
  t.is(remindersTo(world, people.owner).length, 0, 'it is two days ahead')
  await startsIn(world, path, 23.9)
  await untilNoMailIsDue(f.stack, f.family.workspaceId)
  const [mail, ...more] = remindersTo(world, people.owner)
  t.deepEqual(more, [])
  t.regex(mail?.raw ?? '', /(?:AM|PM)=? ?\s*E[SD]T/)
  t.notRegex(mail?.raw ?? '', /Eye doctor|Clinic/, 'mail is no safe place for details')
  t.is(remindersTo(world, people.coordinator).length, 0)

  await coordinator.submit(`${path}/going`, { going: 'yes' })
  await untilNoMailIsDue(f.stack, f.family.workspaceId)
  t.is(remindersTo(world, people.coordinator).length, 0, 'who decides to go later needs no reminder of the day before')
  t.is(remindersTo(world, people.owner).length, 1)
})

test('a reminder comes two hours before for those who chose that, and none for those who turned them off', async (t) => {
  const world = t.context
  const { f, owner, coordinator } = world
  const { people } = f.family
  const choose = (visitor: Visitor, hoursBefore: '0' | '1') =>
    visitor.submit('/settings/notifications', { mode: 'personal', hoursBefore, timeZone: 'America/New_York' })
  t.is((await choose(owner, '1')).status, 303)
  t.is((await choose(coordinator, '0')).status, 303)
  t.regex((await owner.get('/settings/notifications')).text, /name="hoursBefore" value="1" checked/)
  t.notRegex((await owner.get('/settings/notifications')).text, /name="dayBefore" value="1" checked/)
  const path = await add(world, 'Dentist')
  for (const visitor of [owner, coordinator]) await visitor.submit(`${path}/going`, { going: 'yes' })
  await startsIn(world, path, 1.9)
  await untilNoMailIsDue(f.stack, f.family.workspaceId)
  t.deepEqual(
    [people.owner, people.coordinator].map((email) => remindersTo(world, email).length),
    [1, 0],
  )

  const canceled = await add(world, 'Pharmacy')
  await owner.submit(`${canceled}/going`, { going: 'yes' })
  await owner.submit(`${canceled}/cancel`, {})
  await startsIn(world, canceled, 1.9)
  await untilNoMailIsDue(f.stack, f.family.workspaceId)
  t.is(remindersTo(world, people.owner).length, 1, 'nobody is reminded of what is canceled')
})

test('whoever asks for it hears of each new, moved and canceled appointment that another member makes', async (t) => {
  const world = t.context
  const { f, owner, coordinator, viewer } = world
  const { people } = f.family
  const heard = () =>
    [people.owner, people.coordinator, people.viewer].map(
      (email) => mailsTo(world, email, /^Subject: An appointment for/m).length,
    )
  for (const visitor of [owner, viewer])
    await visitor.submit('/settings/notifications', { mode: 'none', changes: '1', timeZone: 'UTC' })
  const path = await add(world, 'Blood test')
  await untilNoMailIsDue(f.stack, f.family.workspaceId)
  t.deepEqual(heard(), [0, 0, 1], 'who added it knows')
  await coordinator.submit(`${path}/cancel`, {})
  await untilNoMailIsDue(f.stack, f.family.workspaceId)
  t.deepEqual(heard(), [1, 0, 2])
  const [mail] = mailsTo(world, people.viewer, /^Subject: An appointment for/m)
  t.notRegex(mail?.raw ?? '', /Blood test/)
})
