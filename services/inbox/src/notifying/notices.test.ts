import test from 'ava'
import { noticeDueAt } from './notices.ts'

const NOW = new Date('2026-05-12T12:00:00Z')
const DELAY_MS = 120_000
const after = (ms: number) => new Date(NOW.getTime() + ms)
const due = (setting: Parameters<typeof noticeDueAt>[0], list: Parameters<typeof noticeDueAt>[1] = {}) =>
  noticeDueAt(setting, list, NOW, DELAY_MS)

test('a notice is due soon, also for a member who never chose', (t) => {
  t.deepEqual(due(undefined), after(DELAY_MS))
  t.deepEqual(due({ mode: 'each', timeZone: 'UTC' }), after(DELAY_MS))
})

test('after a mail, the next one comes ten minutes later', (t) => {
  t.deepEqual(due(undefined, { lastMailAt: after(-60_000) }), after(540_000))
})

test('it joins what is due before, and not what is overdue', (t) => {
  t.deepEqual(due(undefined, { dueAt: after(30_000) }), after(30_000))
  t.deepEqual(due(undefined, { dueAt: after(-30_000) }), after(DELAY_MS))
})

test('with a daily summary it waits for the morning', (t) => {
  t.is(due({ mode: 'digest', timeZone: 'Asia/Kolkata' }).toISOString(), '2026-05-13T02:30:00.000Z')
})
