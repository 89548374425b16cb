import test from 'ava'
import type { Reminder } from '../models/reminder.ts'
import { firstMorningOf, isAnswered, morningOf, requireReminderDay } from './reminder-rule.ts'

const NOW = new Date('2026-05-12T07:30:00Z')

test('the morning of a day is eight where the person is', (t) => {
  t.is(morningOf('2026-05-12', 'Asia/Kolkata').toISOString(), '2026-05-12T02:30:00.000Z')
  t.is(morningOf('2026-05-12', 'America/New_York').toISOString(), '2026-05-12T12:00:00.000Z')
})

test('no morning of a day is earlier than its first one on earth', (t) => {
  t.is(firstMorningOf('2026-05-12').getTime(), morningOf('2026-05-12', 'Pacific/Kiritimati').getTime())
})

test('a reminder needs a day whose morning is to come, within a year', (t) => {
  t.is(requireReminderDay('2026-05-12', 'UTC', NOW), '2026-05-12')
  t.is(requireReminderDay('2027-05-12', 'UTC', NOW), '2027-05-12')
  for (const day of ['2026-05-11', '2027-06-01', '2026-02-30', '2026-5-13', '', 'tomorrow'])
    t.throws(() => requireReminderDay(day, 'UTC', NOW), { message: /^day must be/ }, day)
  t.throws(() => requireReminderDay('2026-05-12', 'Asia/Kolkata', NOW), { message: /^day must be/ })
  t.throws(() => requireReminderDay('2026-05-13', 'Mars/Base', NOW), { message: /^timeZone must be/ })
})

test('an answer after it was set ends a reminder for when nobody answers, and no other', (t) => {
  const reminder = { onlyIfUnanswered: true, createdAt: NOW } as Reminder
  const none = { repliedAt: undefined, mailAt: undefined, isFinished: false }
  const [before, after] = [new Date(NOW.getTime() - 1), new Date(NOW.getTime() + 1)]
  t.false(isAnswered(reminder, none))
  t.false(isAnswered(reminder, { ...none, repliedAt: before, mailAt: before }))
  for (const answers of [{ repliedAt: after }, { mailAt: after }, { isFinished: true }]) {
    t.true(isAnswered(reminder, { ...none, ...answers }))
    t.false(isAnswered({ ...reminder, onlyIfUnanswered: false }, { ...none, ...answers }))
  }
})
