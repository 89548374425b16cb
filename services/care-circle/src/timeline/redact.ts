import { readIsoTime } from '@family-inbox/service-kit/text/iso-time'
import type { CareEventDetails } from '../models/care-event.ts'
import { plainLine, plainText } from './plain-note.ts'
import { toSnakeCase } from './snake-case.ts'

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

/** Never throws; leaves out fields of the wrong type. @returns undefined for a payload that is unreadable or says nothing */
export function redact(eventType: string, payload: Uint8Array): CareEventDetails | undefined {
  const show = SHOWN.get(eventType) ?? showTexts
  const fields = readFields(payload)
  const details = fields && show(fields)
  return details && hasSomething(details) ? details : undefined
}

const MOST_TEXTS = 4
/** Words of a field's name, for what is about the agency's people and systems, not about what happened. */
const UNTOLD =
  /(?:^|_)(?:ids?|uuid|guid|refs?|reference|keys?|tokens?|hash|by|caregivers?|carers?|staff|employees?|nurses?|aides?|workers?|users?|authors?|recorder|device|emails?|phones?|tel|fax|urls?|uri|links?|address|types?|version|status|codes?|dates?|times?|timestamps?|at|start|end|zone|timezone|lang|language|locale|units?)(?:_|$)/

/** Of a type we do not know, such as `med_refused`, what its texts say: "Furosemide", "felt dizzy". */
function showTexts(payload: Payload): CareEventDetails {
  const told = Object.entries(payload).filter(([name]) => !UNTOLD.test(toSnakeCase(name)))
  const texts = told.flatMap(([, value]) => (typeof value === 'string' ? (toWords(line(value)) ?? []) : []))
  return texts.length === 0 ? {} : { other: { texts: [...new Set(texts)].slice(0, MOST_TEXTS) } }
}

/** Words, as people write them or as an identifier such as `felt_dizzy`. @returns undefined for a number, a code or an id */
function toWords(value: string): string | undefined {
  if (/^[a-z]+(?:_[a-z]+)*$/.test(value)) return value.replaceAll('_', ' ')
  return /\p{L}{2}/u.test(value) && (!/\d/.test(value) || value.includes(' ')) ? value : undefined
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
