import test from 'ava'
import { minutesInWords } from '../shell/moment.ts'
import { latenessOf } from './day.ts'
import type { Details } from './event.ts'
import { sentenceOf } from './sentence.ts'

const lovedOne = { id: 'lo_rosa', name: 'Rosa', position: 0 }
const at = (text: string) => new Date(`2026-05-12T${text}:00Z`)
const event = (details: Details | undefined, type = details?.kind ?? 'fall_detected') => ({
  id: 'evt_1',
  type,
  lovedOne,
  occurredAt: at('09:00'),
  receivedAt: at('09:01'),
  source: 'Sunrise Home Care',
  details,
})

const sentences: [Details | undefined, string][] = [
  [{ kind: 'visit_started', location: '' }, 'A caregiver arrived'],
  [{ kind: 'visit_started', location: 'at home' }, 'A caregiver arrived (at home)'],
  [
    { kind: 'visit_started', location: '', scheduledStart: at('08:40'), actualStart: at('09:00') },
    'A caregiver arrived, 20 minutes later than planned',
  ],
  [{ kind: 'visit_started', location: '', scheduledStart: at('08:55') }, 'A caregiver arrived'],
  [
    { kind: 'visit_started', location: '', scheduledStart: at('10:30') },
    'A caregiver arrived, 1 hour 30 minutes earlier than planned',
  ],
  [{ kind: 'visit_ended', minutes: 45 }, 'A caregiver visited for 45 minutes'],
  [{ kind: 'visit_ended', minutes: 60 }, 'A caregiver visited for 1 hour'],
  [{ kind: 'visit_ended', minutes: 0.4 }, 'A caregiver visited for 0 minutes'],
  [{ kind: 'note_added', text: 'Ate well.', summary: '' }, 'A caregiver wrote a note'],
  [{ kind: 'med_administered', name: 'Metformin', amount: '500', unit: 'mg' }, 'Metformin 500 mg given'],
  [{ kind: 'med_administered', name: 'Eye drops', amount: '', unit: '' }, 'Eye drops given'],
  [
    { kind: 'med_administered', name: 'Metformin', amount: '500', unit: 'mg', scheduledAt: at('07:30') },
    'Metformin 500 mg given, 1 hour 30 minutes later than planned',
  ],
  [
    { kind: 'med_administered', name: 'Metformin', amount: '500', unit: 'mg', scheduledAt: at('08:45') },
    'Metformin 500 mg given',
  ],
  [
    { kind: 'vital_recorded', vital: 'blood_pressure', value: '128', secondValue: '82', unit: 'mmHg' },
    'Blood pressure 128/82 mmHg',
  ],
  [
    { kind: 'vital_recorded', vital: 'heart_rate', value: '72', secondValue: '', unit: 'bpm' },
    'Pulse 72 beats per minute',
  ],
  [{ kind: 'vital_recorded', vital: 'ankle_swelling', value: '2', secondValue: '', unit: '' }, 'Ankle swelling 2'],
  [
    { kind: 'vital_recorded', vital: 'constructor', value: '1', secondValue: '', unit: 'toString' },
    'Constructor 1 toString',
  ],
  [
    { kind: 'vital_recorded', vital: 'weight', value: '59.400000000000006', secondValue: '', unit: 'kg' },
    'Weight 59.4 kg',
  ],
  [{ kind: 'vital_recorded', vital: 'weight', value: '61.20', secondValue: '', unit: 'kg' }, 'Weight 61.20 kg'],
  [{ kind: 'med_administered', name: 'Digoxin', amount: '0.0625', unit: 'mg' }, 'Digoxin 0.0625 mg given'],
  [{ kind: 'med_administered', name: 'Insulin', amount: '0.30000000000000004', unit: 'ml' }, 'Insulin 0.3 ml given'],
  [undefined, 'Fall detected'],
]
for (const [details, expected] of sentences)
  test(`an event reads “${expected}”${details && 'scheduledStart' in details ? ` (planned ${details.scheduledStart?.toISOString()})` : ''}${details && 'scheduledAt' in details ? ` (due ${details.scheduledAt?.toISOString()})` : ''}`, (t) => {
    t.is(sentenceOf(event(details)), expected)
  })

test('long durations are shown in hours and days', (t) => {
  t.deepEqual([1, 59.6, 61, 119, 47 * 60 + 59, 48 * 60, 5 * 24 * 60].map(minutesInWords), [
    '1 minute',
    '1 hour',
    '1 hour 1 minute',
    '1 hour 59 minutes',
    '47 hours 59 minutes',
    '2 days',
    '5 days',
  ])
})

test('an event that arrives within a day is not late', (t) => {
  const lateness = (receivedAt: string) => latenessOf({ ...event(undefined), receivedAt: new Date(receivedAt) })
  t.is(lateness('2026-05-13T09:00:00Z'), undefined)
  t.is(lateness('2026-05-13T11:00:00Z'), '1 day')
  t.is(lateness('2026-05-15T09:00:00Z'), '3 days')
  t.is(lateness('2026-05-11T09:00:00Z'), undefined, 'an event dated in the future is not late')
})
