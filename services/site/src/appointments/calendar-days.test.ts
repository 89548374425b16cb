import { type Appointment, AppointmentSource } from '@family-inbox/proto/carecircle/v1/care_circle'
import test from 'ava'
import { type CalendarDays, daysOfMonth, monthGrid, weekOf, weekStrip } from './calendar-days.ts'

const now = new Date('2026-05-12T12:00:00Z')
const clockOf = (locale: string) => ({ locale, timeZone: 'UTC', now })

function eyeDoctor(id: string, words: Partial<Appointment> = {}): Appointment {
  const at = new Date('2026-05-31T10:20:00Z')
  const sender = { source: AppointmentSource.VERIFIED, senderName: '', senderAddress: '', messageId: '', addedBy: '' }
  const text = { title: `Eye doctor ${id}`, place: '', link: '', note: '', uidHash: '', occurrence: '', lovedOneId: '' }
  const state = { canceled: false, tentative: false, changedAt: undefined, earlierStart: undefined, version: 1 }
  return { id, start: { at, local: '' }, end: undefined, going: [], ...sender, ...text, ...state, ...words }
}

const data = (words: Partial<CalendarDays> = {}): CalendarDays => ({
  day: '2026-05-12',
  today: '2026-05-12',
  byDay: new Map([
    ['2026-05-31', [eyeDoctor('a', { canceled: true }), ...['b', 'c', 'd', 'e'].map((id) => eyeDoctor(id))]],
  ]),
  clock: clockOf('en-GB'),
  hrefOf: (day) => `/appointments?day=${day}`,
  addHrefOf: (day) => `/new?at=${day}`,
  ...words,
})

test('a month has whole weeks, which begin on the reader’s first weekday', (t) => {
  // The first of May 2026 is a Friday.
  const [gb, us] = [daysOfMonth('2026-05', clockOf('en-GB')), daysOfMonth('2026-05', clockOf('en-US'))]
  t.deepEqual([gb[0], gb.at(-1), gb.length], ['2026-04-27', '2026-05-31', 35])
  t.deepEqual([us[0], us.at(-1), us.length], ['2026-04-26', '2026-06-06', 42])
  t.is(daysOfMonth('2027-02', clockOf('en-GB')).length, 28)
  t.is(weekOf('2026-05-03', clockOf('en-GB'))[0], '2026-04-27')
  t.is(weekOf('2026-05-03', clockOf('en-US'))[0], '2026-05-03')
})

test('a month shows what is on each day, by name, and leads to the months beside it', (t) => {
  const { text } = monthGrid(data())
  t.regex(text, /May 2026/)
  t.regex(text, /href="\/appointments\?day=2026-04-01">Earlier/)
  t.regex(text, /href="\/appointments\?day=2026-06-01">Later/)
  t.regex(text, /<td aria-current="date"><a class="number"[^>]+>12<\/a>/)
  t.regex(text, /<s><bdi>Eye doctor a<\/bdi><\/s>.*Eye doctor c/s)
  t.notRegex(text, /Eye doctor d/)
  t.regex(text, /day=2026-05-31">and 2 more/)
  t.regex(text, /href="\/new\?at=2026-05-13" aria-label="Add on Wed 13 May">13</)
  t.notRegex(monthGrid(data({ addHrefOf: undefined })).text, /Add on/)
})

test('in a week, a day with appointments leads to them, and another one to the form for a new one', (t) => {
  const { text } = weekStrip(data({ day: '2026-05-31' }))
  t.regex(text, /href="\/appointments\?day=2026-05-31" aria-current="date">.*Sun.*31.*, 5 appointments/s)
  t.regex(text, /href="\/new\?at=2026-05-30"><span class="unseen">Add on <\/span>.*Sat.*30/s)
  t.regex(text, /day=2026-05-24">Earlier.*day=2026-06-07">Later/s)
  t.regex(weekStrip(data({ addHrefOf: undefined })).text, /<span class="today" aria-current="date">/)
})
