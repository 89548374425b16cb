import { createHash } from 'node:crypto'
import { type AcceptedEvent, AcceptedEvents } from '@family-inbox/proto/careevents/v1/care_event'
import anyTest, { type TestFn } from 'ava'
import { outcomeOf, statusOf, untilAnswered } from '../_outcome.ts'
import { until } from '../_wait.ts'
import { startTimeline, type Timeline } from './_timeline.ts'

const test = anyTest as TestFn<Timeline>

test.before(async (t) => {
  t.context = await startTimeline()
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]())

const at = (minute: number) => new Date(Date.UTC(2026, 4, 12, 8, minute))

const NOTHING_SHARED = { events: [], nextPageToken: '', pipeAvailable: false, several: undefined }

test('only what a family may see is stored', async (t) => {
  const { workspace, circle, link, event, send, ids, list } = t.context
  const family = await workspace()
  const subject = await link(family)
  const payload = { caregiver_id: 'CANARY', note_text: '<b>Ate</b> well.', other: 'CANARY', recorded_by: 'CANARY' }
  const note = event(family, subject, { payload: Buffer.from(JSON.stringify(payload)) })
  const fall = {
    location: 'bathroom',
    caregiver_id: 'CANARY',
    recorded_by: 'CANARY',
    staffEmail: 'CANARY@agency.example',
  }
  const payloadOfFall = Buffer.from(JSON.stringify(fall))
  const unknown = event(family, subject, { eventType: 'fall_detected', payload: payloadOfFall, occurredAt: at(9) })
  await send(note, unknown)
  await until(async () => (await ids(family)).length === 2)
  const { events, pipeAvailable } = await untilAnswered(() => list(family))
  t.true(pipeAvailable)
  const [first, second] = events
  t.like(first, { id: unknown.eventId, eventType: 'fall_detected', source: 'Sunrise Home Care', noteAdded: undefined })
  t.deepEqual(first?.other?.texts, ['bathroom'])
  t.like(second, { noteAdded: { noteText: 'Ate well.', structuredSummary: '' }, receivedAt: note.receivedAt })
  const rows = await circle.rows('care_events').find({ linkId: subject.linkId }).toArray()
  t.false(JSON.stringify(rows).includes('CANARY'))
})

test('events are sorted by time, then arrival, newest first, and pages join without gaps', async (t) => {
  const { workspace, link, event, send, ids } = t.context
  const family = await workspace()
  const subjects = [await link(family), await link(family)]
  const events = Array.from({ length: 40 }, (_, index) => {
    const times = { occurredAt: at(index % 5), receivedAt: at(10 + (index % 3)) }
    return event(family, subjects[index % 2] as (typeof subjects)[0], times)
  })
  await send(...events)
  await until(async () => (await ids(family)).length === events.length)
  const newestFirst = (a: AcceptedEvent, b: AcceptedEvent) =>
    Number(b.occurredAt) - Number(a.occurredAt) ||
    Number(b.receivedAt) - Number(a.receivedAt) ||
    (a.eventId < b.eventId ? 1 : -1)
  const expected = events.toSorted(newestFirst).map(({ eventId }) => eventId)
  for (const pageSize of [1, 7, 40, 50]) t.deepEqual(await ids(family, { pageSize }), expected, `pages of ${pageSize}`)
})

test('several loved ones have a page each in one call, which a foreign one among them refuses', async (t) => {
  const { workspace, circle, link, share, event, send, ids, list, settled } = t.context
  const [ours, theirs] = [await workspace(), await workspace()]
  const { lovedOne } = await circle.careCircle.addLovedOne({ name: 'Jorge' }, { token: ours.owner.token })
  const other = { ...ours, lovedOneId: lovedOne?.id ?? '' }
  const [link1, link2] = [await link(ours), await link(other)]
  const minutes = [1, 2, 3]
  const [first, second] = [
    minutes.map((minute) => event(ours, link1, { occurredAt: at(minute) })),
    minutes.map((minute) => event(other, link2, { occurredAt: at(minute) })),
  ]
  // With the link of somebody else: not stored, or at least not shown.
  await send(...first, ...second, event(other, link1), event(ours, link2))
  await until(async () => (await ids(ours)).length === 3 && (await ids(other)).length === 3)
  await settled(link1, link2)
  const cursor = ({ lovedOneId }: typeof ours, pageToken = '') => ({ lovedOneId, pageToken })
  const read = async (...cursors: ReturnType<typeof cursor>[]) =>
    (await list(ours, { pageSize: 2, several: { cursors } })).several?.pages ?? []
  const idsOf = (pages: Awaited<ReturnType<typeof read>>) => pages.map(({ events }) => events.map(({ id }) => id))
  const newest = (events: AcceptedEvent[]) => events.map(({ eventId }) => eventId).toReversed()
  const pages = await read(cursor(other), cursor(ours))
  t.deepEqual(idsOf(pages), [newest(second).slice(0, 2), newest(first).slice(0, 2)])
  const next = await read(cursor(other, pages[0]?.nextPageToken), cursor(ours, pages[1]?.nextPageToken))
  t.deepEqual(idsOf(next), [newest(second).slice(2), newest(first).slice(2)])
  for (const foreign of [theirs.lovedOneId, 'lo_gone', ''])
    t.is(await statusOf(read(cursor(ours), { lovedOneId: foreign, pageToken: '' })), 'NOT_FOUND')
  await share(link2, false)
  t.deepEqual(idsOf(await read(cursor(other), cursor(ours))), [[], newest(first).slice(0, 2)])
  t.is(await statusOf(read(...Array.from({ length: 201 }, () => cursor(ours)))), 'INVALID_ARGUMENT')
})

test('a time span and types filter events on every page', async (t) => {
  const { workspace, link, event, send, ids, list } = t.context
  const family = await workspace()
  const subject = await link(family)
  const types = ['note_added', 'visit_started', 'fall_detected']
  const events = Array.from({ length: 30 }, (_, index) =>
    event(family, subject, { occurredAt: at(index), eventType: types[index % 3] as string }),
  )
  await send(...events)
  await until(async () => (await ids(family)).length === events.length)
  const chosen = (isChosen: (event: AcceptedEvent, minute: number) => boolean) =>
    events
      .filter(isChosen)
      .map(({ eventId }) => eventId)
      .reverse()
  const span = { since: at(10), until: at(20) }
  const pageSize = 3
  t.deepEqual(
    await ids(family, { ...span, pageSize }),
    chosen((_, minute) => minute >= 10 && minute < 20),
  )
  t.deepEqual(
    await ids(family, { eventTypes: ['fall_detected', 'visit_started'], pageSize }),
    chosen(({ eventType }) => eventType !== 'note_added'),
  )
  t.deepEqual(
    await ids(family, { ...span, eventTypes: ['note_added'], pageSize }),
    chosen(({ eventType }, minute) => minute >= 10 && minute < 20 && eventType === 'note_added'),
  )
  t.deepEqual(await ids(family, { eventTypes: ['nothing_like_it'] }), [])
  t.is(await statusOf(list(family, { since: at(20), until: at(20) })), 'INVALID_ARGUMENT')
  t.is(await statusOf(list(family, { eventTypes: Array(21).fill('note_added') })), 'INVALID_ARGUMENT')
  t.is(await statusOf(list(family, { pageToken: 'forged' })), 'INVALID_ARGUMENT')
})

test('while sharing is off nothing is stored or shown; earlier events return afterwards', async (t) => {
  const { workspace, link, share, event, send, ids, list, settled } = t.context
  const family = await workspace()
  const subject = await link(family)
  const [before, meanwhile, after] = [1, 2, 3].map((minute) => event(family, subject, { occurredAt: at(minute) }))
  await send(before as AcceptedEvent)
  await until(async () => (await ids(family)).length === 1)

  await share(subject, false)
  t.deepEqual(await untilAnswered(() => list(family)), NOTHING_SHARED)
  await send(meanwhile as AcceptedEvent)
  await settled(subject)

  await share(subject, true)
  t.deepEqual(await ids(family), [before?.eventId])
  await send(after as AcceptedEvent)
  await until(async () => (await ids(family)).length > 1)
  t.deepEqual(await ids(family), [after?.eventId, before?.eventId])
})

test('events of a disabled agency are hidden until it is enabled', async (t) => {
  const { workspace, link, pipe, event, send, ids, list } = t.context
  const family = await workspace()
  const subject = await link(family)
  const { institutionId } = subject
  await send(event(family, subject))
  await until(async () => (await ids(family)).length === 1)
  await pipe.setPartnerActive({ institutionId, active: false, agreementDate: '', reviewDate: '' })
  t.deepEqual(await untilAnswered(() => list(family)), NOTHING_SHARED)
  await pipe.setPartnerActive({ institutionId, active: true, agreementDate: '', reviewDate: '' })
  t.is((await ids(family)).length, 1)
})

test('each workspace sees its own events, and an event for an unknown loved one is dropped', async (t) => {
  const { workspace, circle, link, event, send, ids, list, settled } = t.context
  const [ours, theirs] = [await workspace(), await workspace()]
  const [ourLink, theirLink] = [await link(ours), await link(theirs)]
  const [our, their] = [event(ours, ourLink), event(theirs, theirLink)]
  await send(
    our,
    their,
    event({ ...ours, lovedOneId: theirs.lovedOneId }, ourLink),
    event(ours, ourLink, { lovedOneId: 'lo_gone' }),
  )
  await settled(ourLink, theirLink)
  t.deepEqual(await ids(ours), [our.eventId])
  t.deepEqual(await ids(theirs), [their.eventId])
  const foreign = await outcomeOf(list({ ...ours, lovedOneId: theirs.lovedOneId }))
  t.deepEqual(foreign, await outcomeOf(list({ ...ours, lovedOneId: 'lo_none' })))
  t.is(await circle.rows('care_events').countDocuments({ linkId: ourLink.linkId }), 1)
})

test('the download contains only the events the family may read now', async (t) => {
  const { circle, workspace, link, share, event, send, ids } = t.context
  const family = await workspace()
  const [shown, hidden] = [await link(family), await link(family)]
  const [seen, unseen] = [event(family, shown), event(family, hidden)]
  await send(seen, unseen)
  await until(async () => (await ids(family)).length === 2)
  await share(hidden, false)
  const download = async () => {
    const token = await family.owner.keyIn(family.workspaceId)
    let text = ''
    for await (const { piece } of circle.careCircle.exportWorkspace({}, { token }))
      text += Buffer.from(piece?.data ?? [])
    return text
  }
  const text = await untilAnswered(download)
  t.true(text.includes(seen.eventId) && text.includes('Sunrise Home Care'))
  t.false(text.includes(unseen.eventId))
  t.false(text.includes(shown.linkId))
})

test('a purge during a flood of events leaves none, even late ones, and counts them', async (t) => {
  const { workspace, circle, link, purge, event, send, ids, settled } = t.context
  const family = await workspace()
  const [subject, other] = [await link(family), await link(family)]
  const stays = event(family, other)
  const flood = Array.from({ length: 400 }, () => event(family, subject))
  const sending = Promise.all(flood.map((one) => send(one)))
  await until(async () => (await circle.rows('care_events').countDocuments({ linkId: subject.linkId })) > 20)
  await purge(subject)
  await sending
  await send(...flood.slice(0, 50), stays)
  await settled(subject, other)
  const left = () => circle.rows('care_events').countDocuments({ linkId: subject.linkId })
  await until(async () => (await left()) === 0)
  t.deepEqual(await ids(family), [stays.eventId])
  const pipeSide = await circle.as('pipe')
  const { linkId } = subject
  const { eventsDeleted } = await untilAnswered(() => pipeSide.purgeCareEvents({ linkId }))
  t.true(eventsDeleted > 20 && eventsDeleted <= 400)
  t.deepEqual(await pipeSide.purgeCareEvents({ linkId }), { eventsDeleted })
})

test('a deleted workspace keeps no event and gets no new ones', async (t) => {
  const { circle, pipe, workspace, link, event, send, ids, settled } = t.context
  const family = await workspace()
  const subject = await link(family)
  await send(event(family, subject))
  await send(event(family, subject, { occurredAt: undefined }))
  await until(async () => (await ids(family)).length === 1)
  const { linkId, institutionId, subjectRef } = subject
  const dead = circle.rows('dead_letters')
  await until(async () => (await dead.countDocuments({ linkId, deadAt: { $exists: true } })) === 1)

  await circle.careCircle.deleteWorkspace({}, { token: await family.owner.keyIn(family.workspaceId) })
  await send(event(family, subject))
  await settled(subject)
  const left = async () =>
    (await circle.rows('care_events').countDocuments({ linkId })) + (await dead.countDocuments({ linkId }))
  await until(async () => (await left()) === 0)
  const linkAgain = () => statusOf(pipe.setFamilyShare({ institutionId, subjectRef, shared: true }))
  await until(async () => (await linkAgain()) === 'NOT_FOUND')
  await send(event(family, subject))
  await settled(subject)
  t.is(await left(), 0)
})

test('a purge too large for one call is still finished', async (t) => {
  const { workspace, circle, link, event, purge } = t.context
  const family = await workspace()
  const subject = await link(family)
  const rows = circle.rows('care_events')
  const { workspaceId, lovedOneId } = family
  const { linkId } = subject
  const COUNT = 2500
  await rows.insertMany(
    Array.from({ length: COUNT }, (_, index) => ({
      _id: `${linkId}-${index}`,
      workspaceId,
      lovedOneId,
      linkId,
      eventType: event(family, subject).eventType,
      occurredAt: at(0),
      receivedAt: at(1),
    })),
  )
  const pipeSide = await circle.as('pipe')
  const inNoTime = pipeSide.purgeCareEvents({ linkId }, { deadline: Date.now() + 520 })
  t.true(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'OK'].includes(await statusOf(inNoTime)))
  await until(async () => (await rows.countDocuments({ linkId })) === 0)
  t.is((await untilAnswered(() => pipeSide.purgeCareEvents({ linkId }))).eventsDeleted, COUNT)
  await purge(subject)
})

test('unreadable events block no others; after the last try they are listed and can be replayed', async (t) => {
  const { workspace, ops, link, event, send, sendBytes, ids } = t.context
  const family = await workspace()
  const subject = await link(family)
  const garbage = Buffer.from(`\u0007 no event ${subject.linkId}`)
  const halfEvent = event(family, subject, { occurredAt: undefined })
  await sendBytes(garbage)
  await send(halfEvent)
  const good = Array.from({ length: 30 }, (_, index) => event(family, subject, { occurredAt: at(index) }))
  await send(...good)
  await until(async () => (await ids(family)).length === good.length)

  const garbageId = `unreadable_${createHash('sha256').update(garbage).digest('hex').slice(0, 32)}`
  const mine = [garbageId, halfEvent.eventId]
  const dead = async () => {
    const { events } = await ops.listDeadLetters({ pageSize: 200, pageToken: '' })
    return events.filter(({ eventId }) => mine.includes(eventId))
  }
  t.deepEqual(await dead(), [], 'they are still tried')
  await until(async () => (await dead()).length === 2)
  const listed = await dead()
  t.like(
    listed.find(({ eventId }) => eventId === halfEvent.eventId),
    {
      institutionId: subject.institutionId,
      eventType: 'note_added',
      reason: 'it has no occurredAt',
    },
  )
  t.is(listed.find(({ eventId }) => eventId === garbageId)?.reason, 'it cannot be decoded')

  t.deepEqual(await ops.replayDeadLetters({ eventIds: [garbageId] }), { replayed: 1 })
  t.deepEqual(
    (await dead()).map(({ eventId }) => eventId),
    [halfEvent.eventId],
  )
  await until(async () => (await dead()).length === 2)
  t.is((await ids(family)).length, good.length)
})

test('events in one message succeed or fail separately', async (t) => {
  const { workspace, circle, ops, link, share, event, sendTogether, ids, settled } = t.context
  const [family, other] = [await workspace(), await workspace()]
  const [subject, hidden] = [await link(family), await link(family)]
  await share(hidden, false)
  const [first, second] = [event(family, subject, { occurredAt: at(1) }), event(family, subject, { occurredAt: at(2) })]
  const dying = event(family, subject, { occurredAt: undefined })
  const { lovedOneId } = other
  await sendTogether(first, dying, event(family, hidden), event(family, subject, { lovedOneId }), second)
  await settled(subject)
  t.deepEqual(await ids(family), [second.eventId, first.eventId])
  const dead = circle.rows('dead_letters')
  t.deepEqual(await dead.distinct('_id', { linkId: { $in: [subject.linkId, hidden.linkId] } }), [dying.eventId])
  t.deepEqual(await ops.replayDeadLetters({ eventIds: [dying.eventId] }), { replayed: 1 })
  await until(async () => (await dead.countDocuments({ _id: dying.eventId, deadAt: { $exists: true } })) === 1)
})

test('a replayed dead letter reaches the timeline once its cause is fixed', async (t) => {
  const { workspace, circle, ops, link, event, send, ids } = t.context
  const family = await workspace()
  const subject = await link(family)
  const halfEvent = event(family, subject, { receivedAt: undefined })
  const whole = event(family, subject, { eventId: halfEvent.eventId })
  await send(halfEvent)
  const dead = circle.rows('dead_letters')
  const { eventId } = halfEvent
  await until(async () => (await dead.countDocuments({ _id: eventId, deadAt: { $exists: true } })) === 1)
  // As if a newer version could read it.
  const message = Buffer.from(AcceptedEvents.encode({ events: [whole] }).finish()).toString('base64')
  await dead.updateOne({ _id: eventId }, { $set: { message } })
  t.deepEqual(await ops.replayDeadLetters({ eventIds: [eventId] }), { replayed: 1 })
  await until(async () => (await ids(family)).length === 1)
  t.is(await dead.countDocuments({ _id: eventId }), 0)
  t.deepEqual(await ops.replayDeadLetters({ eventIds: [eventId] }), { replayed: 0 })
})

test('a purge deletes its link’s dead letters, and dead letters are paged', async (t) => {
  const { workspace, circle, ops, link, event, send, purge } = t.context
  const family = await workspace()
  const subject = await link(family)
  const halfEvents = [1, 2, 3].map(() => event(family, subject, { lovedOneId: '' }))
  await send(...halfEvents)
  const dead = circle.rows('dead_letters')
  const mine = { linkId: subject.linkId, deadAt: { $exists: true } }
  await until(async () => (await dead.countDocuments(mine)) === 3)

  const pages: string[] = []
  for (let pageToken = ''; ; ) {
    const { events, nextPageToken } = await ops.listDeadLetters({ pageSize: 1, pageToken })
    // The next page may be replayed meanwhile.
    t.true(events.length === 1 || nextPageToken === '')
    pages.push(...events.map(({ eventId }) => eventId))
    if (nextPageToken === '') break
    pageToken = nextPageToken
  }
  t.is(new Set(pages).size, pages.length)
  for (const { eventId } of halfEvents) t.true(pages.includes(eventId))

  await purge(subject)
  await until(async () => (await dead.countDocuments({ linkId: subject.linkId })) === 0)
})

test('each of these calls is for one service only', async (t) => {
  const { workspace, circle, ops } = t.context
  const { owner } = await workspace()
  for (const service of ['gateway', 'inbox', 'site', 'ops'] as const)
    t.is(await statusOf((await circle.as(service)).purgeCareEvents({ linkId: 'link_x' })), 'PERMISSION_DENIED')
  for (const service of ['gateway', 'pipe', 'site'] as const) {
    const client = await circle.as(service)
    t.is(await statusOf(client.listDeadLetters({ pageSize: 0, pageToken: '' })), 'PERMISSION_DENIED')
    t.is(await statusOf(client.replayDeadLetters({ eventIds: [] })), 'PERMISSION_DENIED')
  }
  const { token } = owner
  t.is(await statusOf(ops.purgeCareEvents({ linkId: 'link_x' }, { token })), 'PERMISSION_DENIED')
  t.is(await statusOf(ops.replayDeadLetters({ eventIds: [] }, { token })), 'PERMISSION_DENIED')
  t.is(await statusOf(ops.listDeadLetters({ pageSize: 201, pageToken: '' })), 'INVALID_ARGUMENT')
})
