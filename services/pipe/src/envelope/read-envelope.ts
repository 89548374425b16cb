import { readIsoTime } from '@family-inbox/service-kit/text/iso-time'
import { scanObject } from './scan-object.ts'

/** SPEC "Planned pipe ingest". */
export type Envelope = {
  institutionId: string
  subjectRef: string
  eventType: string
  occurredAt: Date
  /** The partner's event id, when it is part of the signed body. */
  partnerEventId?: string
  payload: string
}

type ReadEnvelope = { envelope: Envelope } | { problem: string }

const MAX_DEPTH = 64
const MAX_ID = 200
const MAX_TYPE = 100

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Never throws. A problem names the field and never quotes its value. */
export function readEnvelope(body: Uint8Array): ReadEnvelope {
  try {
    return { envelope: readText(decode(body)) }
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message }
    throw error
  }
}

class Problem extends Error {}

function readText(text: string): Envelope {
  const event = parse(text)
  if (!isObject(event)) throw new Problem('The body must be a JSON object.')
  const scan = scanObject(text, MAX_DEPTH)
  if (scan.kind === 'too deep') throw new Problem(`The body is nested more than ${MAX_DEPTH} levels deep.`)
  if (scan.kind === 'repeated') throw new Problem('The body repeats a field in one object.')
  const envelope = {
    institutionId: requireText(event, 'institution_id', MAX_ID),
    subjectRef: requireText(event, 'subject_ref', MAX_ID),
    eventType: requireText(event, 'event_type', MAX_TYPE),
    occurredAt: requireTime(event, 'occurred_at'),
    ...(fieldOf(event, 'event_id') !== undefined && { partnerEventId: requireText(event, 'event_id', MAX_ID) }),
  }
  requirePayload(envelope.eventType, fieldOf(event, 'payload'))
  return { ...envelope, payload: scan.members.get('payload') ?? '' }
}

function decode(body: Uint8Array): string {
  try {
    return decoder.decode(body)
  } catch {
    throw new Problem('The body is not UTF-8 text.')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem('The body is not valid JSON.')
  }
}

export function isName(value: unknown, max: number): value is string {
  return typeof value === 'string' && value.length <= max && /^(?!\s*$)[^\p{Cc}\u2028\u2029]+$/u.test(value)
}

function requireText(event: Record<string, unknown>, field: string, max: number): string {
  const value = fieldOf(event, field)
  if (value === undefined) throw new Problem(`${field} is missing.`)
  if (!isName(value, max)) throw new Problem(`${field} must be text of 1 to ${max} characters, on one line.`)
  return value
}

function requireTime(event: Record<string, unknown>, field: string): Date {
  const value = fieldOf(event, field)
  if (value === undefined) throw new Problem(`${field} is missing.`)
  const time = typeof value === 'string' ? readIsoTime(value) : undefined
  if (time === undefined)
    throw new Problem(`${field} must be an ISO 8601 time with a zone, such as 2026-05-12T08:30:00Z.`)
  return time
}

function requirePayload(eventType: string, payload: unknown): void {
  if (payload === undefined) throw new Problem('payload is missing.')
  if (!isObject(payload)) throw new Problem('payload must be an object.')
  for (const field of REQUIRED_FIELDS.get(eventType) ?? []) {
    const value = fieldOf(payload, field)
    if (value === undefined || value === '') throw new Problem(`payload.${field} is missing.`)
    if (typeof value === 'object') throw new Problem(`payload.${field} must be text or a number.`)
  }
}

function fieldOf(object: Record<string, unknown>, field: string): unknown {
  return Object.hasOwn(object, field) ? (object[field] ?? undefined) : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Required payload fields (SPEC "Event types (v1)"). Unknown types are accepted unchecked. */
export const REQUIRED_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['visit_started', ['caregiver_id', 'scheduled_start', 'actual_start']],
  ['visit_ended', ['caregiver_id', 'actual_end', 'duration_minutes']],
  ['note_added', ['caregiver_id', 'note_text']],
  ['med_administered', ['medication_name', 'dose_amount', 'dose_unit', 'administered_by']],
  ['vital_recorded', ['vital_type', 'value', 'unit', 'recorded_by']],
])
