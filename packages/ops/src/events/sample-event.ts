export type SampleEventOptions = {
  institutionId: string
  subjectRef: string
  type: string
  payload?: string
  occurredAt?: string
  eventId?: string
}

/** Throws if the payload is not JSON, or if the type has no example. */
export function sampleEvent({ institutionId, subjectRef, type, payload, occurredAt, eventId }: SampleEventOptions) {
  const now = new Date()
  return {
    institution_id: institutionId,
    subject_ref: subjectRef,
    event_type: type,
    occurred_at: occurredAt ?? now.toISOString(),
    ...(eventId !== undefined && { event_id: eventId }),
    payload: payload === undefined ? samplePayload(type, now) : parse(payload),
  }
}

function samplePayload(type: string, now: Date): object {
  const make = SAMPLES[type]
  if (make) return make(now.toISOString())
  throw new Error(`There is no example for ${type}. Set its payload with --payload.`)
}

const SAMPLES: Record<string, (now: string) => object> = {
  visit_started: (now) => ({ caregiver_id: 'c-17', scheduled_start: now, actual_start: now, location: 'Home' }),
  visit_ended: (now) => ({ caregiver_id: 'c-17', actual_end: now, duration_minutes: 45 }),
  note_added: () => ({ caregiver_id: 'c-17', note_text: 'A short walk in the garden, and a good appetite.' }),
  med_administered: () => ({
    medication_name: 'Metoprolol',
    dose_amount: 47.5,
    dose_unit: 'mg',
    administered_by: 'c-17',
  }),
  vital_recorded: () => ({
    vital_type: 'blood_pressure',
    value: 128,
    secondary_value: 79,
    unit: 'mmHg',
    recorded_by: 'c-17',
  }),
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('--payload is not JSON.')
  }
}
