import test from 'ava'
import { isRecent, isUrgent } from './urgent.ts'

test('urgent is what names an emergency, not what prevents or ends one', (t) => {
  const urgent = [
    'fall_detected',
    'FALL',
    'FallDetected',
    'emergency-call',
    'patient_hospitalized',
    'sos',
    'panic.button',
  ]
  for (const type of [...urgent, 'client_missing', 'wandering_detected', 'ambulance_called', 'client_fell'])
    t.true(isUrgent(type), type)
  const harmless = [
    'visit_ended',
    'fall_risk_assessed',
    'alarm_cleared',
    'rainfall',
    'hospital_discharged',
    'false_alarm',
  ]
  for (const type of [
    ...harmless,
    'missing_signature',
    'emergency_contact_updated',
    'non_urgent',
    'no_fall_detected',
    '',
  ])
    t.false(isUrgent(type), type)
})

test('news happened within a day', (t) => {
  const now = new Date('2026-05-12T12:00:00Z')
  for (const [occurredAt, expected] of [
    ['2026-05-11T12:00:00Z', true],
    ['2026-05-11T11:59:59Z', false],
    ['2026-05-12T12:05:00Z', true],
    ['2027-05-12T12:00:00Z', false],
  ] as const)
    t.is(isRecent({ occurredAt: new Date(occurredAt) }, now), expected, occurredAt)
})
