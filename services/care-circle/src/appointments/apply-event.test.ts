import { type CalendarEvent, TimeKind } from '@family-inbox/proto/calendar/v1/calendar_change'
import test from 'ava'
import { applyEvent } from './apply-event.ts'
import { deriveOccurrences } from './derive-occurrences.ts'

const DAY_MS = 86_400_000
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
