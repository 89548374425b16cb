import type { CareEvent } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { LovedOne } from '../shell/workspace.ts'

/** What an agency said, by kind (SPEC "Event types"). One of a kind we do not know has no details. */
export type Details =
  | { kind: 'visit_started'; scheduledStart?: Date | undefined; actualStart?: Date | undefined; location: string }
  | { kind: 'visit_ended'; minutes: number }
  | { kind: 'note_added'; text: string; summary: string }
  | { kind: 'med_administered'; name: string; amount: string; unit: string; scheduledAt?: Date | undefined }
  | { kind: 'vital_recorded'; vital: string; value: string; secondValue: string; unit: string }

/** Something that happened in a loved one's care. */
export type TimelineEvent = {
  id: string
  /** The event's type as the agency named it. */
  type: string
  lovedOne: LovedOne
  occurredAt: Date
  receivedAt: Date
  /** What the agency is called. */
  source: string
  details?: Details | undefined
}

/** An event as pages work with it. What has no time, which care-circle never sends, cannot be on a timeline. */
export function toTimelineEvent(event: CareEvent, lovedOne: LovedOne): TimelineEvent[] {
  const { id, eventType: type, occurredAt, receivedAt, source } = event
  if (occurredAt === undefined || receivedAt === undefined) return []
  return [{ id, type, lovedOne, occurredAt, receivedAt, source, details: toDetails(event) }]
}

function toDetails(event: CareEvent): Details | undefined {
  const { visitStarted, visitEnded, noteAdded, medicationAdministered, vitalRecorded } = event
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
}
