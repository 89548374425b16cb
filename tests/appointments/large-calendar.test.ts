import { connect, type Services } from '@family-inbox/ops/services'
import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import { hashUid } from '@family-inbox/workspace-kit/calendar-changes'
import anyTest, { type TestFn } from 'ava'
import type { Db, MongoClient } from 'mongodb'
import { deriveOccurrences, endsOf } from '../../services/care-circle/src/appointments/derive-occurrences.ts'
import type { Appointment } from '../../services/care-circle/src/models/appointment.ts'
import { openAsOperator } from '../_database.ts'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { createRandom, type Random } from '../_random.ts'
import { signIn } from '../_visitor.ts'

type World = { f: Guest & { sink: Sink }; mongo: MongoClient; services: Services }

const test = (anyTest as TestFn<World>).serial
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Two pages; the calendar has ten times as many ahead. */
const MOST = 100
/** Every eighth or ninth hour, and a weekly one of each series: in the whole weeks of a month. */
const OF_SIX_WEEKS = 42 * 3 + 20 * 6

test.before(async ({ context }) => {
  context.f = await joinFamily()
  context.mongo = await openAsOperator(context.f.stack, 'care-circle')
  context.services = await connect(context.f.stack.target)
})
test.after.always(async ({ context }) => {
  context.services?.[Symbol.dispose]()
  await context.mongo?.close()
  await context.f?.[Symbol.asyncDispose]()
})

test('page by page, a calendar lists every visit once, by time, however long or often it is', async (t) => {
  const { services, mongo } = t.context
  const random = createRandom()
  t.log(`TEST_SEED=${random.seed}`)
  const { workspaceId, lovedOneIds, token } = await newFamily(services)
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS
  // Few moments, so that many start together and pages end between them.
  const rows = Array.from({ length: 80 }, (_, index) => {
    const starts = startsFrom(random, midnight)
    const lovedOneId = lovedOneIds[index % lovedOneIds.length] ?? ''
    return toRow({ workspaceId, lovedOneId, starts, durationMs: durationOf(random) })
  })
  await mongo.db().collection<Appointment>('appointments').insertMany(rows)
  for (let round = 0; round < 30; round += 1) {
    const lovedOneId = lovedOneIds[random.between(0, 3)] ?? ''
    const from = new Date(midnight + random.between(-20, 20) * 6 * HOUR_MS)
    const until =
      random.between(0, 2) === 0 ? undefined : new Date(from.getTime() + random.between(1, 60) * 6 * HOUR_MS)
    const pageSize = random.between(1, 30)
    const listed = await readAll(services, token, { lovedOneId, from, until, pageSize })
    t.deepEqual(listed, expected(rows, { lovedOneId, from, until }), `${from.toISOString()}, ${pageSize} a page`)
  }
})

test('a page of a calendar reads what it shows, not what is past or far ahead', async (t) => {
  const { f, mongo } = t.context
  const { workspaceId, lovedOnes, people } = await f.another()
  const lovedOneId = lovedOnes[0]?.id ?? ''
  const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const one = (hours: number) => {
    const starts = [new Date(now + hours * HOUR_MS)]
    return toRow({ workspaceId, lovedOneId, starts, durationMs: HOUR_MS })
  }
  const past = Array.from({ length: 2000 }, (_, index) => one(-9 * (index + 1)))
  const ahead = Array.from({ length: 1000 }, (_, index) => one(8 * (index + 1)))
  const weekly = Array.from({ length: 20 }, (_, index) => {
    const starts = Array.from({ length: 100 }, (_, week) => new Date(now + (index - 30 * 24 + week * 168) * HOUR_MS))
    return toRow({ workspaceId, lovedOneId, starts, durationMs: HOUR_MS })
  })
  await mongo
    .db()
    .collection<Appointment>('appointments')
    .insertMany([...past, ...ahead, ...weekly])
  const owner = await signIn(f, f.sink, people.owner)
  await using reads = await watchReads(mongo.db(), workspaceId)

  await owner.get('/')
  t.true((await reads.take()) < MOST, 'what comes next')
  const first = await owner.get('/appointments')
  t.true((await reads.take()) < MOST + OF_SIX_WEEKS, 'the calendar, which shows a month')
  const later = /href="([^"]+)" rel="next"/.exec(first.text)?.[1]?.replaceAll('&#38;', '&') ?? ''
  t.is((await owner.get(later)).status, 200)
  t.true((await reads.take()) < MOST, 'a later page')
})

async function newFamily({ auth, careCircle }: Services) {
  const email = `ana.${randomText(8)}@almeida.example`
  const { principal } = await auth.createPerson({ email, name: 'Ana Almeida' })
  const { workspaceId } = await careCircle.createWorkspace(
    { name: 'The Almeida family', ownerName: 'Ana Almeida', relationship: 'daughter' },
    { token: principal },
  )
  const { principal: token } = await auth.switchWorkspace({ workspaceId }, { token: principal })
  const added = await Promise.all(['Rosa', 'Jorge'].map((name) => careCircle.addLovedOne({ name }, { token })))
  return { workspaceId, token, lovedOneIds: added.map(({ lovedOne }) => lovedOne?.id ?? '') }
}

/** One visit, or many of a series. */
function startsFrom(random: Random, midnight: number): Date[] {
  const first = midnight + random.between(-30, 30) * 6 * HOUR_MS
  const visits = random.between(0, 4) === 0 ? random.between(2, 20) : 1
  return Array.from({ length: visits }, (_, visit) => new Date(first + visit * DAY_MS))
}

/** Nothing, an hour, a whole day, or a stay of some days. */
function durationOf(random: Random): number {
  return [0, HOUR_MS, HOUR_MS, DAY_MS, random.between(2, 12) * DAY_MS][random.between(0, 5)] ?? 0
}

type Said = Pick<Appointment, 'workspaceId' | 'lovedOneId'> & { starts: Date[]; durationMs: number }

function toRow({ workspaceId, lovedOneId, starts, durationMs }: Said): Appointment {
  const _id = newId('apt')
  const said = { title: _id, place: '', kind: 'moment', starts, durationSec: durationMs / 1000 } as const
  const version = { sequence: 0, stampedAt: new Date(), canceled: false, recurring: starts.length > 1 }
  const known = { components: [{ ...said, ...version }], occurrences: [], canceledByFamily: [], going: [] }
  const occurrences = deriveOccurrences(known, new Date())
  const sender = { owner: 'verified', proof: 'verified', senderName: '', senderAddress: '' } as const
  const times = { occurrences, ...endsOf(occurrences), createdAt: new Date() }
  return {
    ...known,
    _id,
    workspaceId,
    lovedOneId,
    uidHash: hashUid(_id),
    ...sender,
    messageIds: [],
    ...times,
    version: 1,
  }
}

type Wanted = { lovedOneId: string; from: Date; until: Date | undefined }

async function readAll(services: Services, token: string, wanted: Wanted & { pageSize: number }): Promise<string[]> {
  const listed: string[] = []
  for (let pageToken = ''; ; ) {
    const page = await services.careCircle.listAppointments({ ...wanted, pageToken }, { token })
    listed.push(...page.appointments.map(({ id, occurrence }) => `${id}/${occurrence}`))
    if (page.appointments.length > wanted.pageSize) throw new Error('a page is too long')
    pageToken = page.nextPageToken
    if (pageToken === '') return listed
  }
}

function expected(rows: Appointment[], { lovedOneId, from, until }: Wanted): string[] {
  const wanted = rows.filter((row) => lovedOneId === '' || row.lovedOneId === lovedOneId)
  return wanted
    .flatMap((row) => row.occurrences.map((one) => ({ ...one, id: `${row._id}/${one.key}` })))
    .filter(({ startsAt, endsAt }) => endsAt >= from && (until === undefined || startsAt < until))
    .sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime() || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id)
}

type Report = { ts: Date; command: object; docsExamined: number }

/** Counts the appointments that MongoDB reads for a family, as it reports them. */
async function watchReads(db: Db, workspaceId: string) {
  const all = { op: 'command', ns: `${db.databaseName}.appointments` }
  await db.command({ profile: 1, filter: all })
  const reported = db.collection<Report>('system.profile')
  let since = new Date(0)
  return {
    async take(): Promise<number> {
      const reports = await reported.find({ ...all, ts: { $gt: since } }).toArray()
      const own = reports.filter(({ command }) => JSON.stringify(command).includes(workspaceId))
      if (own.length === 0) throw new Error('no appointments were read')
      // Parallel commands are not reported in the order of their times.
      since = new Date(Math.max(...reports.map(({ ts }) => ts.getTime())))
      return own.reduce((sum, { docsExamined }) => sum + docsExamined, 0)
    },
    [Symbol.asyncDispose]: async () => {
      await db.command({ profile: 0, filter: 'unset' })
    },
  }
}
