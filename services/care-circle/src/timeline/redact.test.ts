import test from 'ava'
import fc from 'fast-check'
import { redact } from './redact.ts'

const bytes = (text: string) => Buffer.from(text)
const show = (eventType: string, payload: object) => redact(eventType, bytes(JSON.stringify(payload)))

test('a started visit shows planned time, actual time and place, but not the caregiver’s id', (t) => {
  const payload = {
    caregiver_id: 'CG-17',
    scheduled_start: '2026-05-12T08:00:00Z',
    actual_start: '2026-05-12T10:05:00+02:00',
    location: 'Home',
  }
  t.deepEqual(show('visit_started', payload), {
    visitStarted: {
      scheduledStart: new Date('2026-05-12T08:00:00Z'),
      actualStart: new Date('2026-05-12T08:05:00Z'),
      location: 'Home',
    },
  })
})

test('an ended visit shows when it ended and how long it took', (t) => {
  const payload = { caregiver_id: 'CG-17', actual_end: '2026-05-12T09:00:00Z', duration_minutes: 55 }
  const visitEnded = { actualEnd: new Date('2026-05-12T09:00:00Z'), durationMinutes: 55 }
  t.deepEqual(show('visit_ended', payload), { visitEnded })
  t.deepEqual(show('visit_ended', { ...payload, duration_minutes: ' 55 ' }), { visitEnded })
  for (const duration_minutes of [-1, 1e9, 'long', '', ' ', null, [55], { minutes: 55 }, true])
    t.deepEqual(show('visit_ended', { ...payload, duration_minutes }), {
      visitEnded: { ...visitEnded, durationMinutes: 0 },
    })
})

test('a note shows its text and summary as plain text', (t) => {
  const payload = { caregiver_id: 'CG-17', note_text: '<b>Ate</b> well\u202e', structured_summary: 'Lunch: all' }
  t.deepEqual(show('note_added', payload), { noteAdded: { noteText: 'Ate well', structuredSummary: 'Lunch: all' } })
})

test('a medication shows name and dose as written, but not who gave it', (t) => {
  const payload = '{"medication_name":"Metformin","dose_amount":2.50,"dose_unit":"mg","administered_by":"N-3"}'
  const medicationAdministered = {
    medicationName: 'Metformin',
    doseAmount: '2.50',
    doseUnit: 'mg',
    scheduledAt: undefined,
  }
  t.deepEqual(redact('med_administered', bytes(payload)), { medicationAdministered })
})

test('a vital sign shows numbers or text, but not who recorded it', (t) => {
  const payload = { vital_type: 'blood_pressure', value: 120, unit: 'mmHg', recorded_by: 'N-3', secondary_value: '80' }
  const vitalRecorded = { vitalType: 'blood_pressure', value: '120', unit: 'mmHg', secondaryValue: '80' }
  t.deepEqual(show('vital_recorded', payload), { vitalRecorded })
})

test('an unknown type shows what its texts say, but no ids, people, times, numbers or codes', (t) => {
  const payload = {
    medication_name: 'Furosemide',
    reason: 'felt_dizzy',
    note_text: '<b>She</b> did not want it',
    caregiver_id: 'CG-17',
    staffName: 'Dana Field',
    refused_by: 'Dana Field',
    occurredAt: '2026-05-12T08:00:00Z',
    contactPhone: '+1 555 0100',
    score: '3',
    batch: 'XK29-77A',
    nested: { reason: 'more' },
    list: ['one'],
  }
  t.deepEqual(show('med_refused', payload), { other: { texts: ['Furosemide', 'felt dizzy', 'She did not want it'] } })
  for (const eventType of ['fall_detected', '', 'VISIT_STARTED', '__proto__', 'constructor', 'toString']) {
    t.deepEqual(show(eventType, { location: 'bathroom' }), { other: { texts: ['bathroom'] } })
    t.is(show(eventType, { caregiver_id: 'CG-17' }), undefined)
  }
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, nth) => [`field${nth}`, 'word'.padEnd(5 + nth, 'x')]))
  t.is(show('odd', many)?.other?.texts.length, 4)
})

test('invalid, deeply nested and prototype payloads show nothing', (t) => {
  const payloads = ['', '{', 'null', '7', '"text"', '[]', '["note_text"]', '{}', '[{"note_text":"x"}]']
  const hostile = ['{"__proto__":{"note_text":"x"}}', `{"note_text":${'['.repeat(100_000)}${']'.repeat(100_000)}}`]
  for (const payload of [...payloads, ...hostile]) t.is(redact('note_added', bytes(payload)), undefined)
  t.is(redact('note_added', Uint8Array.of(0xff, 0xfe, 0x7b)), undefined)
})

test('huge numbers stay text; implausible times and wrong types are left out', (t) => {
  const vital = '{"vital_type":{"$ne":null},"value":1e999,"unit":["mg"],"secondary_value":true}'
  t.deepEqual(redact('vital_recorded', bytes(vital)), {
    vitalRecorded: { vitalType: '', value: '1e999', unit: '', secondaryValue: '' },
  })
  for (const actual_end of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', 'yesterday', 1_778_574_600, {}])
    t.is(show('visit_ended', { actual_end }), undefined)
})

const TYPES = ['visit_started', 'visit_ended', 'note_added', 'med_administered', 'vital_recorded']
const FIELDS =
  'scheduled_start actual_start location actual_end duration_minutes note_text structured_summary medication_name dose_amount dose_unit scheduled_at vital_type value unit secondary_value'.split(
    ' ',
  )

test('no payload throws, is too long or reveals a caregiver’s id', (t) => {
  const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constant('x'.repeat(50_000)), fc.double())
  const payload = fc.record({
    caregiver_id: fc.constant('CANARY'),
    administered_by: fc.constant('CANARY'),
    recorded_by: fc.constant('CANARY'),
    other: fc.constant('CANARY'),
    ...Object.fromEntries(FIELDS.map((field) => [field, value])),
  })
  fc.assert(
    fc.property(fc.constantFrom(...TYPES), payload, (eventType, fields) => {
      const details = JSON.stringify(show(eventType, fields) ?? {})
      t.false(details.includes('CANARY'))
      t.true(details.length < 20_000)
    }),
    { numRuns: 500 },
  )
})

test('no bytes throw', (t) => {
  fc.assert(
    fc.property(fc.constantFrom(...TYPES), fc.uint8Array({ maxLength: 200 }), (eventType, payload) => {
      t.notThrows(() => redact(eventType, payload))
    }),
    { numRuns: 1000 },
  )
})
