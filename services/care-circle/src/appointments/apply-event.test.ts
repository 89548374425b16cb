import { type CalendarEvent, TimeKind } from '@family-inbox/proto/calendar/v1/calendar_change'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import test from 'ava'
import { applyEvent } from './apply-event.ts'
import { deriveOccurrences } from './derive-occurrences.ts'

const FIRST = new Date('2026-05-01T10:00:00Z')
const NONE: ReturnType<typeof applyEvent> & object = { components: [], canceledByFamily: [] }

const invitation: CalendarEvent = {
  uid: '1',
  withoutUid: false,
  recurrenceId: undefined,
  recurrenceDay: undefined,
  canceled: false,
  andLater: false,
  sequence: 3,
  stampedAt: FIRST,
  title: 'Infusion',
  place: '',
  organizerName: '',
  organizerAddress: '',
  kind: TimeKind.UNSPECIFIED,
  starts: [FIRST],
  durationSec: 1800,
  recurring: true,
  tentative: false,
  attendees: [],
  colleagues: [],
  isForAttendees: false,
  link: '',
  note: '',
}

test('a cancellation with the version of its invitation counts, and the same invitation does not undo it', (t) => {
  const planned = applyEvent(NONE, invitation) ?? NONE
  t.is(applyEvent(planned, invitation), undefined)
  const canceled = applyEvent(planned, { ...invitation, canceled: true }) ?? NONE
  t.like(canceled.components, [{ title: 'Infusion', canceled: true, starts: [FIRST] }])
  t.is(applyEvent(canceled, { ...invitation, canceled: true }), undefined)
  t.is(applyEvent(canceled, invitation), undefined)
})

test('however many occurrences change, the series stays', (t) => {
  let changed = applyEvent(NONE, invitation) ?? NONE
  for (let day = 1; day <= 300; day += 1) {
    const recurrenceId = new Date(FIRST.getTime() + day * DAY_MS)
    changed = applyEvent(changed, { ...invitation, recurrenceId, recurring: false, starts: [recurrenceId] }) ?? changed
  }
  t.is(changed.components.length, 200)
  t.is(changed.components.filter(({ recurrenceId }) => recurrenceId === undefined).length, 1)
})

test('a change of a day that is named by a moment is of that day, also when it comes before its series', (t) => {
  const days = [new Date('2026-05-07T00:00:00Z'), new Date('2026-05-14T00:00:00Z')]
  const series = { ...invitation, kind: TimeKind.DAY, starts: days }
  // Midnight in Berlin.
  const named = new Date('2026-05-13T22:00:00Z')
  const canceled = {
    ...invitation,
    recurrenceId: named,
    recurrenceDay: named,
    canceled: true,
    recurring: false,
    starts: [],
  }
  for (const order of [
    [series, canceled],
    [canceled, series],
  ]) {
    const { components } = order.reduce((known, event) => applyEvent(known, event) ?? known, NONE)
    const planned = deriveOccurrences({ components, canceledByFamily: [], occurrences: [], going: [] }, FIRST)
    t.deepEqual(
      planned.map((one) => [one.startsAt, one.canceled]),
      days.map((day, index) => [day, index === 1]),
    )
  }
})

const invited = { ...invitation, recurring: false, attendees: ['luis', 'ana'], colleagues: ['doctor'] }
const removal = { ...invited, canceled: true, isForAttendees: true, sequence: 4, colleagues: [] }

test('removing one guest cancels nothing for the other, and removing the last cancels', (t) => {
  const planned = applyEvent(NONE, invited) ?? NONE
  const one = applyEvent(planned, { ...removal, attendees: ['luis'] }) ?? NONE
  t.like(one.components, [{ canceled: false, attendees: ['ana'], starts: [FIRST] }])
  t.is(applyEvent(one, { ...removal, attendees: ['luis'] }), undefined, 'the same mail again')
  t.is(applyEvent(planned, { ...removal, attendees: [], colleagues: ['doctor'] }), undefined)
  t.like(applyEvent(one, { ...removal, attendees: ['ana'] })?.components, [{ canceled: true }])
  t.like(applyEvent(planned, { ...removal, attendees: ['ana', 'luis'] })?.components, [{ canceled: true }])
})

test('a cancellation that names an address nobody knows is for the family, and so is one of unknown guests', (t) => {
  const planned = applyEvent(NONE, invited) ?? NONE
  t.like(applyEvent(planned, { ...removal, attendees: ['inbox'] })?.components, [{ canceled: true }])
  const unknown = applyEvent(NONE, { ...invited, attendees: [], colleagues: [] }) ?? NONE
  t.like(applyEvent(unknown, { ...removal, attendees: ['luis'] })?.components, [{ canceled: true }])
  const said = { ...removal, isForAttendees: false, attendees: ['luis'] }
  t.like(applyEvent(planned, said)?.components, [{ canceled: true }], 'its status says that all is canceled')
})

test('removing a guest from one date of a series changes nothing for who stays', (t) => {
  const planned = applyEvent(NONE, { ...invited, recurring: true }) ?? NONE
  t.is(applyEvent(planned, { ...removal, recurrenceId: FIRST, attendees: ['luis'] }), undefined)
})

test('a canceled date is called as its series, whatever its program writes before that', (t) => {
  const planned = applyEvent(NONE, invitation) ?? NONE
  const canceled = { ...invitation, canceled: true, recurrenceId: FIRST, title: 'Peruutettu: Infusion' }
  t.is(applyEvent(planned, canceled)?.components.find(({ recurrenceId }) => recurrenceId)?.title, 'Infusion')
})

test('a change of a date and all later ones moves those, and leaves the earlier ones', (t) => {
  const day = (nth: number, hour = 10) => new Date(Date.UTC(2026, 4, 1 + nth, hour))
  const series = applyEvent(NONE, { ...invitation, starts: [day(0), day(1), day(2), day(3)] }) ?? NONE
  const later = { ...invitation, recurring: false, recurrenceId: day(1), andLater: true, starts: [day(1, 14)] }
  const moved = applyEvent(series, { ...later, place: 'Room 3', durationSec: 600 }) ?? NONE
  const once = applyEvent(moved, { ...later, andLater: false, recurrenceId: day(3), starts: [day(5)] }) ?? NONE
  const found = deriveOccurrences({ ...once, occurrences: [], going: [] }, FIRST)
  t.deepEqual(
    found.map(({ startsAt, place }) => [startsAt.toISOString().slice(8, 13), place]),
    [
      ['01T10', ''],
      ['02T14', 'Room 3'],
      ['03T14', 'Room 3'],
      ['06T10', ''],
    ],
  )
})

test('what may still change says so until it is confirmed', (t) => {
  const asked = applyEvent(NONE, { ...invitation, tentative: true }) ?? NONE
  t.true(deriveOccurrences({ ...asked, occurrences: [], going: [] }, FIRST)[0]?.tentative)
  const confirmed = applyEvent(asked, { ...invitation, sequence: 4 }) ?? NONE
  t.is(deriveOccurrences({ ...confirmed, occurrences: [], going: [] }, FIRST)[0]?.tentative, undefined)
})
