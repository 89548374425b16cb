import { readIsoTime } from '@family-inbox/service-kit/text/iso-time'
import type { CareEventDetails } from '../models/care-event.ts'
import { plainLine, plainText } from './plain-note.ts'

const NOTE = 2000
const SUMMARY = 1000
const NAME = 200
const AMOUNT = 40
const MAX_MINUTES = 100_000
const FIRST_TIME = Date.UTC(1900)
const LAST_TIME = Date.UTC(2200)

type Payload = Readonly<Record<string, unknown>>

/** SPEC "Event types (v1)". The rest is not even stored: the ids of caregivers and staff are the agency's own. */
const SHOWN = new Map<string, (payload: Payload) => CareEventDetails>([
  [
    'visit_started',
    ({ scheduled_start, actual_start, location }) => ({
      visitStarted: {
        scheduledStart: time(scheduled_start),
        actualStart: time(actual_start),
        location: line(location),
      },
    }),
  ],
  [
    'visit_ended',
    ({ actual_end, duration_minutes }) => ({
      visitEnded: { actualEnd: time(actual_end), durationMinutes: minutes(duration_minutes) },
    }),
  ],
  [
    'note_added',
    ({ note_text, structured_summary }) => ({
      noteAdded: { noteText: text(note_text, NOTE), structuredSummary: text(structured_summary, SUMMARY) },
    }),
  ],
  [
    'med_administered',
    ({ medication_name, dose_amount, dose_unit, scheduled_at }) => ({
      medicationAdministered: {
        medicationName: line(medication_name),
        doseAmount: line(dose_amount, AMOUNT),
        doseUnit: line(dose_unit, AMOUNT),
        scheduledAt: time(scheduled_at),
      },
    }),
  ],
  [
    'vital_recorded',
    ({ vital_type, value, unit, secondary_value }) => ({
      vitalRecorded: {
        vitalType: line(vital_type),
        value: line(value, AMOUNT),
        unit: line(unit, AMOUNT),
        secondaryValue: line(secondary_value, AMOUNT),
      },
    }),
  ],
])

/** Never throws; leaves out fields of the wrong type. @returns undefined for an unknown type or an unreadable payload */
export function redact(eventType: string, payload: Uint8Array): CareEventDetails | undefined {
  const show = SHOWN.get(eventType)
  const fields = show && readFields(payload)
  const details = fields && show(fields)
  return details && hasSomething(details) ? details : undefined
}

/** Own fields only. Numbers keep their spelling: 2.50 stays 2.50. */
function readFields(payload: Uint8Array): Payload | undefined {
  try {
    const fields: unknown = JSON.parse(Buffer.from(payload).toString(), keepNumberAsWritten)
    return typeof fields === 'object' && fields !== null ? Object.assign(Object.create(null), fields) : undefined
  } catch {
    return undefined
  }
}

/** JSON.parse source text access (ECMA-262, 2025). */
function keepNumberAsWritten(_name: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value
}

function line(value: unknown, max = NAME): string {
  return typeof value === 'string' ? plainLine(value, max) : ''
}

function text(value: unknown, max: number): string {
  return typeof value === 'string' ? plainText(value, max) : ''
}

function minutes(value: unknown): number {
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : 0
  return count >= 0 && count <= MAX_MINUTES ? count : 0
}

function time(value: unknown): Date | undefined {
  const moment = typeof value === 'string' ? readIsoTime(value) : undefined
  return moment && Number(moment) >= FIRST_TIME && Number(moment) < LAST_TIME ? moment : undefined
}

function hasSomething(details: CareEventDetails): boolean {
  return Object.values(details).some((fields) => Object.values(fields ?? {}).some(Boolean))
}
