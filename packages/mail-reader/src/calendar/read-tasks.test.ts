import test from 'ava'
import { readCalendar } from './read-calendar.ts'

const NOW = new Date('2026-05-01T00:00:00Z')

function tasksOf(...lines: string[]): string[] {
  const text = ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR'].join('\r\n')
  return readCalendar({ text }, NOW).tasks.map((task) => `${task.text} ${task.day ?? '-'}`)
}

const task = (...lines: string[]) => ['BEGIN:VTODO', 'UID:1', ...lines, 'END:VTODO']

const cases: [string, string[], string[]][] = [
  ['a day', task('SUMMARY:Pick up\\, today', 'DUE;VALUE=DATE:20260512'), ['Pick up, today 2026-05-12']],
  ['a time there', task('SUMMARY:Call', 'DUE;TZID=America/New_York:20260512T230000'), ['Call 2026-05-12']],
  ['a time in UTC', task('SUMMARY:Call', 'DUE:20260512T090000Z'), ['Call 2026-05-12']],
  ['no day', task('SUMMARY:Call'), ['Call -']],
  ['an odd day', task('SUMMARY:Call', 'DUE:soon'), ['Call -']],
  ['no summary', task('DUE;VALUE=DATE:20260512'), []],
  ['a completed one', task('SUMMARY:Call', 'STATUS:COMPLETED'), []],
  ['a canceled one', task('SUMMARY:Call', 'STATUS:CANCELLED'), []],
  ['one that is begun', task('SUMMARY:Call', 'STATUS:IN-PROCESS'), ['Call -']],
  ['a reminder in it', task('BEGIN:VALARM', 'SUMMARY:Not this', 'END:VALARM', 'SUMMARY:Call'), ['Call -']],
  ['a cancellation', ['METHOD:CANCEL', ...task('SUMMARY:Call')], []],
  ['many', Array.from({ length: 30 }, () => task('SUMMARY:Call')).flat(), Array.from({ length: 10 }, () => 'Call -')],
  ['a long one', task(`SUMMARY:${'x'.repeat(900)}`), [`${'x'.repeat(200)} -`]],
]

for (const [title, lines, expected] of cases)
  test(`a task with ${title}`, (t) => t.deepEqual(tasksOf(...lines), expected))

test('tasks and events of a file do not disturb each other', (t) => {
  const event = ['BEGIN:VEVENT', 'UID:2', 'DTSTART:20260512T090000Z', 'SUMMARY:Visit', 'END:VEVENT']
  const text = ['BEGIN:VCALENDAR', ...task('SUMMARY:Call', 'DUE:x'), ...event, 'END:VCALENDAR'].join('\r\n')
  const { events, losses, tasks } = readCalendar({ text }, NOW)
  t.deepEqual([events[0]?.title, losses, tasks], ['Visit', [], [{ text: 'Call' }]])
})
