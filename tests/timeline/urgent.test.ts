import { randomUUID } from 'node:crypto'
import { AcceptedEvents } from '@family-inbox/proto/careevents/v1/care_event'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import { CARE_EVENT_STREAM, CARE_EVENT_SUBJECT } from '@family-inbox/workspace-kit/care-events'
import test from 'ava'
import { connect } from 'nats'
import { openDatabase } from '../_database.ts'
import { type Answer, joinFamily } from '../_family.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { becomesTrue, readUntil, until } from '../_wait.ts'
import { linkAgency } from '../app/_agency.ts'

type Row = {
  _id: string
  workspaceId: string
  linkId: string
  eventType: string
  urgentMail?: { since: Date; dueAt: Date }
}

/** A family with an agency, and what care-circle has stored about its urgent events. */
async function newScene() {
  await using starting = new AsyncDisposableStack()
  const f = starting.use(await joinFamily())
  const agency = await linkAgency(f, f.family)
  const mongo = await openDatabase(f.stack, 'care-circle')
  starting.defer(() => mongo.close())
  const people = Object.values(f.family.people)
  const { workspaceId } = f.family
  const events = mongo.db().collection<Row>('care_events')
  const lovedOnes = mongo.db().collection<{ _id: string; workspaceId: string }>('loved_ones')
  const mailsTo = (email: string) =>
    f.sink.mails.filter(({ to, headers }) => to.includes(email) && /^Subject: Urgent/m.test(headers))
  const counts = () => people.map((email) => mailsTo(email).length)
  const disposal = starting.move()
  return {
    f,
    agency,
    people,
    events,
    mailsTo,
    counts,
    /** Sends urgent events, and waits until they are stored. */
    async report(eventType: string, count = 1) {
      for (let sent = 0; sent < count; sent += 1) await agency.post({ event_type: eventType, payload: {} })
      await until(async () => (await events.countDocuments({ workspaceId, eventType })) === count)
    },
    /** Every urgent event is mailed, or waits for its ten minutes. */
    decided: () =>
      until(async () => {
        const due = { workspaceId, 'urgentMail.dueAt': { $lte: new Date(Date.now() + 60_000) } }
        return (await events.countDocuments(due)) === 0
      }),
    waiting: () => events.countDocuments({ workspaceId, urgentMail: { $exists: true } }),
    /** Lets ten minutes pass. */
    async rest() {
      const now = new Date()
      await lovedOnes.updateMany(
        { workspaceId },
        {
          $set: { 'urgentMail.at': new Date(now.getTime() - 11 * 60_000) },
        },
      )
      await events.updateMany(
        { workspaceId, urgentMail: { $exists: true } },
        {
          $set: { 'urgentMail.dueAt': now },
        },
      )
    },
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}

test('an emergency comes first on every page, and every member gets one mail, without what happened', async (t) => {
  await using scene = await newScene()
  const { f, agency, people, events, mailsTo, counts } = scene
  const owner = await signIn(f, f.sink, f.family.people.owner)
  await owner.submit('/settings/notifications', { mode: 'none', timeZone: 'UTC' })
  const fall = { event_type: 'fall_detected', event_id: randomUUID(), payload: { location: 'bathroom' } }
  t.is(await agency.post(fall), 202)
  t.true(await becomesTrue(async () => counts().every((count) => count === 1)), 'each member got it')
  const [mail] = mailsTo(f.family.people.owner)
  t.notRegex(mail?.raw ?? '', /fall|bathroom/i)
  t.regex(mail?.raw.replaceAll('=\r\n', '') ?? '', new RegExp(`/timeline/${f.family.lovedOnes[0]?.id}`))
  t.notRegex(mail?.headers ?? '', /List-Unsubscribe/i)
  for (const email of people) {
    const member = email === f.family.people.owner ? owner : await signIn(f, f.sink, email)
    for (const path of ['/', '/inbox/next', `/inbox/${f.family.lovedOnes[1]?.id}`, '/settings', '/appointments']) {
      const [main = ''] = (await getWithBar(member, path)).text.split('<main').slice(1)
      t.regex(main, /^(?:(?!<h1).)*<section class="urgent-bar".*Urgent.*Rosa Almeida<\/bdi>: <bdi>Fall detected/s, path)
    }
  }

  await agency.post(fall)
  const row = await events.findOne({ workspaceId: f.family.workspaceId })
  await deliverAgain(scene, row as Row)
  await scene.report('sos_pressed', 3)
  await scene.decided()
  t.is(await events.countDocuments({ workspaceId: f.family.workspaceId }), 4, 'the fall is there once')
  t.deepEqual(counts(), [1, 1, 1], 'a repeated event, and others within ten minutes, bring no more mail')
  t.is(await scene.waiting(), 3)
  await scene.rest()
  t.true(await becomesTrue(async () => (await scene.waiting()) === 0))
  t.true(await becomesTrue(async () => counts().every((count) => count === 2)), 'one mail for what came since')
})

/** A page does not wait long for its bar, so on a busy machine it may come without. */
function getWithBar(visitor: Visitor, path: string): Promise<Answer> {
  return readUntil(() => visitor.get(path), hasBar)
}

function hasBar({ text }: Answer): boolean {
  return text.includes('urgent-bar')
}

/** As after a crash of care-circle, before it acknowledged the event. */
async function deliverAgain({ f }: Awaited<ReturnType<typeof newScene>>, row: Row): Promise<void> {
  const nats = await connect({ servers: f.stack.natsUrl, ...natsLogin(f.stack.opsKey) })
  const { _id: eventId, linkId, eventType } = row
  const { workspaceId, lovedOnes } = f.family
  const at = new Date()
  const event = { eventId, linkId, workspaceId, lovedOneId: lovedOnes[0]?.id ?? '', institutionId: 'agency', eventType }
  const bytes = AcceptedEvents.encode({
    events: [{ ...event, occurredAt: at, receivedAt: at, payload: Buffer.from('{}') }],
  })
  const { seq } = await nats.jetstream().publish(CARE_EVENT_SUBJECT, bytes.finish())
  const { streams } = await nats.jetstreamManager()
  await until(async () => (await streams.getMessage(CARE_EVENT_STREAM, { seq }).catch(() => undefined)) === undefined)
  await nats.close()
}

test('a mail that was repeated after a crash arrives once', async (t) => {
  await using scene = await newScene()
  const { events, counts, f } = scene
  await scene.report('fall_detected')
  t.true(await becomesTrue(async () => counts().every((count) => count === 1)))
  await scene.decided()
  // The process stopped after the mail was queued and before that was noted.
  const since = new Date()
  await events.updateMany(
    { workspaceId: f.family.workspaceId },
    {
      $set: { urgentMail: { since, dueAt: since } },
    },
  )
  t.true(await becomesTrue(async () => (await scene.waiting()) === 0))
  await scene.rest()
  await scene.report('ambulance_called')
  t.true(await becomesTrue(async () => counts().every((count) => count === 2)), 'the next mail is only the second')
})

test('old events, and those that are no longer shared, are mailed to nobody', async (t) => {
  await using scene = await newScene()
  const { f, agency, events, counts } = scene
  const yesterday = new Date(Date.now() - 25 * 60 * 60_000).toISOString()
  await agency.post({ event_type: 'fall_detected', occurred_at: yesterday, payload: {} })
  const ofFamily = { workspaceId: f.family.workspaceId }
  await until(async () => (await events.countDocuments(ofFamily)) === 1)
  t.is(await scene.waiting(), 0)
  const viewer = await signIn(f, f.sink, f.family.people.viewer)
  t.notRegex((await viewer.get('/')).text, /urgent-bar/)
  t.regex((await viewer.get('/timeline')).text, /Urgent<\/strong> Fall detected/)

  await scene.report('sos_pressed')
  t.true(await becomesTrue(async () => counts().every((count) => count === 1)))
  await scene.report('ambulance_called')
  await scene.decided()
  t.deepEqual([await scene.waiting(), counts()], [1, [1, 1, 1]])
  await agency.share(false)
  await scene.rest()
  t.true(await becomesTrue(async () => (await scene.waiting()) === 0))
  t.notRegex((await viewer.get('/')).text, /urgent-bar/)
  await agency.share(true)
  await scene.report('client_missing')
  t.true(
    await becomesTrue(async () => counts().every((count) => count === 2)),
    'what came while it was off is not mailed',
  )
})

test('an emergency stays on every page until someone takes it, and comes back when they release it or leave', async (t) => {
  await using scene = await newScene()
  const { f, agency } = scene
  const [rosa] = f.family.lovedOnes
  const [owner, viewer] = await Promise.all([
    signIn(f, f.sink, f.family.people.owner),
    signIn(f, f.sink, f.family.people.viewer),
  ])
  await scene.report('fall_detected')
  await scene.report('sos_pressed')
  const isUrgent = async (visitor: typeof owner) => hasBar(await visitor.get('/care-circle'))
  const becomesUrgent = (visitor: typeof owner) => becomesTrue(() => isUrgent(visitor))
  const { text: settings } = await getWithBar(viewer, '/settings')
  const [, event = ''] = settings.match(/name="event" value="([^"]+)"/) ?? []
  t.regex(settings, /and 1 more/)

  const form = `/timeline/${rosa?.id}/urgent`
  const take = (visitor: typeof owner, taken: '0' | '1') => visitor.save(form, { event, taken })
  await take(viewer, '1')
  t.regex((await viewer.get(`/timeline/${rosa?.id}`)).text, /You’re on it now/)
  t.false(await isUrgent(owner), 'what a viewer took is off every page, with what came before it')
  t.regex((await owner.get('/timeline')).text, /is on it/)
  await take(owner, '1')
  t.regex((await owner.get('/timeline')).text, /Someone else changed this first/)
  t.false(await isUrgent(owner))

  await take(viewer, '0')
  t.true(await becomesUrgent(owner))
  await take(viewer, '1')
  await scene.report('ambulance_called')
  t.true(await becomesUrgent(owner), 'what happens after that is urgent again')
  await scene.events.deleteMany({ workspaceId: f.family.workspaceId, eventType: 'ambulance_called' })
  t.false(await isUrgent(owner))
  await viewer.save('/care-circle/leave', {})
  t.true(await becomesUrgent(owner), 'a member on it has left')

  const stranger = await f.another()
  const other = await signIn(f, f.sink, stranger.people.owner)
  const stolen = await other.submit(`/timeline/${stranger.lovedOnes[0]?.id}/urgent`, { event, taken: '1' })
  t.is(stolen.status, 404, 'another family takes nothing')
  t.true(await becomesUrgent(owner))
  await agency.share(false)
  const unseen = await owner.submit(form, { event, taken: '1' })
  t.is(unseen.status, 404, 'what the timeline does not show cannot be taken')
})
