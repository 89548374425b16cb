import { type Appointment, AppointmentSource } from '@family-inbox/proto/carecircle/v1/care_circle'
import test from 'ava'
import { inComingDays, listedDay } from './coming-days.ts'

const clock = { locale: 'en-GB', timeZone: 'America/New_York', now: new Date('2026-05-12T12:00:00Z') }

function appointment(start: string, end?: string): Appointment {
  const time = (text: string) =>
    text.endsWith('Z') ? { at: new Date(text), local: '' } : { at: undefined, local: text }
  return {
    id: start,
    occurrence: '',
    lovedOneId: 'lo_1',
    title: '',
    place: '',
    start: time(start),
    end: end === undefined ? undefined : time(end),
    source: AppointmentSource.VERIFIED,
    senderName: '',
    senderAddress: '',
    messageId: '',
    canceled: false,
    changedAt: undefined,
    earlierStart: undefined,
    going: [],
    addedBy: '',
    version: 1,
    uidHash: '',
    tentative: false,
    link: '',
    note: '',
  }
}

test('the coming days are today and the next seven, where the reader is', (t) => {
  const starts = [
    '2026-05-12T03:59:00Z',
    '2026-05-12T04:00:00Z',
    '2026-05-12',
    '2026-05-19T23:30',
    '2026-05-20T03:59:00Z',
    '2026-05-20T04:00:00Z',
    '2026-05-20',
  ]
  t.deepEqual(
    inComingDays(
      starts.map((start) => appointment(start)),
      clock,
    ).map(({ id }) => id),
    starts.slice(1, 5),
  )
})

test('an appointment of several days is listed today until its last day is over', (t) => {
  t.is(listedDay(appointment('2026-05-10', '2026-05-12'), clock), '2026-05-12')
  t.is(listedDay(appointment('2026-05-10', '2026-05-11'), clock), undefined)
  t.is(listedDay(appointment('2026-05-14T09:00', '2026-05-15T09:00'), clock), '2026-05-14')
})
