import type { LovedOne } from '../household.ts'

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
