import type { CareEvent } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { LovedOne } from '../shell/workspace.ts'

/** Event details by kind (SPEC "Event types"); `other` for any type of an agency's own. */
export type Details =
  | { kind: 'visit_started'; scheduledStart?: Date | undefined; actualStart?: Date | undefined; location: string }
  | { kind: 'visit_ended'; minutes: number }
  | { kind: 'note_added'; text: string; summary: string }
  | { kind: 'med_administered'; name: string; amount: string; unit: string; scheduledAt?: Date | undefined }
  | { kind: 'vital_recorded'; vital: string; value: string; secondValue: string; unit: string }
  | { kind: 'other'; texts: string[] }

export type TimelineEvent = {
  id: string
  /** The type as the agency sent it. */
  type: string
  lovedOne: LovedOne
  occurredAt: Date
  receivedAt: Date
  /** The agency's name. */
  source: string
  /** Its type names an emergency. */
  urgent?: boolean
  /** The person id of the member who takes care of it; empty while nobody does. */
  takenBy?: string
  /** Undefined if nothing but the type is known. */
  details?: Details | undefined
}

/** Converts an event; returns none for one without times, which care-circle never sends. */
export function toTimelineEvent(event: CareEvent, lovedOne: LovedOne): TimelineEvent[] {
  const { id, eventType: type, occurredAt, receivedAt, source, urgent, takenBy } = event
  if (occurredAt === undefined || receivedAt === undefined) return []
  return [{ id, type, lovedOne, occurredAt, receivedAt, source, urgent, takenBy, details: toDetails(event) }]
}

function toDetails(event: CareEvent): Details | undefined {
  const { visitStarted, visitEnded, noteAdded, medicationAdministered, vitalRecorded, other } = event
  if (visitStarted) return { kind: 'visit_started', ...visitStarted }
  if (visitEnded) return { kind: 'visit_ended', minutes: visitEnded.durationMinutes }
  if (noteAdded) return { kind: 'note_added', text: noteAdded.noteText, summary: noteAdded.structuredSummary }
  if (medicationAdministered) {
    const { medicationName: name, doseAmount: amount, doseUnit: unit, scheduledAt } = medicationAdministered
    return { kind: 'med_administered', name, amount, unit, scheduledAt }
  }
  if (vitalRecorded) {
    const { vitalType: vital, value, unit, secondaryValue: secondValue } = vitalRecorded
    return { kind: 'vital_recorded', vital, value, secondValue, unit }
  }
  if (other) return { kind: 'other', texts: other.texts }
}
