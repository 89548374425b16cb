import test from 'ava'
import { firstMorningOf, morningOf, reminderState, requireReminderDay } from './reminder-rule.ts'

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

const [BEFORE, AFTER, LATER] = [-1, 1, 2].map((ms) => new Date(NOW.getTime() + ms)) as [Date, Date, Date]
const REMINDER = { onlyIfUnanswered: true, createdAt: NOW }
const NONE = { repliedAt: undefined, isFinished: false, mails: [] }

test('an answer after it was set ends a reminder for when nobody answers, and no other', (t) => {
  const mailed = (receivedAt: Date) => ({ mails: [{ receivedAt, isProvenAnswer: true }] })
  t.deepEqual(reminderState(REMINDER, NONE), { isWanted: true, hasNewMail: false })
  t.true(reminderState(REMINDER, { ...NONE, repliedAt: BEFORE, ...mailed(BEFORE) }).isWanted)
  for (const answers of [{ repliedAt: AFTER }, mailed(AFTER), { isFinished: true }]) {
    t.false(reminderState(REMINDER, { ...NONE, ...answers }).isWanted)
    t.true(reminderState({ ...REMINDER, onlyIfUnanswered: false }, { ...NONE, ...answers }).isWanted)
  }
})

test('only mail that is proven to be of the same sender ends a reminder; other mail is mentioned', (t) => {
  const mails = [{ receivedAt: AFTER, isProvenAnswer: false }]
  t.deepEqual(reminderState(REMINDER, { ...NONE, mails }), { isWanted: true, hasNewMail: true })
  const both = [...mails, { receivedAt: LATER, isProvenAnswer: true }]
  t.deepEqual(reminderState(REMINDER, { ...NONE, mails: both }), { isWanted: false, endedByMailAt: LATER })
  t.deepEqual(reminderState(REMINDER, { ...NONE, mails: both, repliedAt: AFTER }), { isWanted: false })
})
