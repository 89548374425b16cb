import type { CareEvent } from '@family-inbox/proto/carecircle/v1/care_circle'
import { z } from 'zod'
import { time } from './fields.ts'

const visitStarted = z
  .strictObject({
    scheduledStart: time.optional(),
    actualStart: time.optional(),
    location: z.string().optional(),
  })
  .describe('Of a visit_started.')

const visitEnded = z
  .strictObject({ actualEnd: time.optional(), durationMinutes: z.number().min(0).optional() })
  .describe('Of a visit_ended.')

const noteAdded = z
  .strictObject({
    noteText: z.string().optional().describe('Plain text. A long note is cut and ends with "…".'),
    structuredSummary: z.string().optional(),
  })
  .describe('Of a note_added.')

const medicationAdministered = z
  .strictObject({
    medicationName: z.string().optional(),
    doseAmount: z.string().optional().describe('As the agency wrote it, such as 2.5.'),
    doseUnit: z.string().optional(),
    scheduledAt: time.optional(),
  })
  .describe('Of a med_administered.')

const vitalRecorded = z
  .strictObject({
    vitalType: z.string().optional(),
    value: z.string().optional(),
    unit: z.string().optional(),
    secondaryValue: z.string().optional().describe('The lower of two values, as in blood pressure.'),
  })
  .describe('Of a vital_recorded.')

/** What is said of a care event (SPEC "Care event"). */
export const careEventFields = {
  id: z.string(),
  eventType: z
    .string()
    .describe(
      'visit_started, visit_ended, note_added, med_administered, vital_recorded, or a newer type, which comes without details.',
    ),
  occurredAt: time.describe('When it happened.'),
  receivedAt: time.describe('When the agency reported it.'),
  source: z.string().describe('The care agency that reported it.'),
  details: z.union([visitStarted, visitEnded, noteAdded, medicationAdministered, vitalRecorded]).optional(),
}

export function toCareEventFields(event: CareEvent) {
  const { id, eventType, occurredAt, receivedAt, source } = event
  const details = detailsOf(event)
  return {
    id,
    eventType,
    occurredAt: occurredAt?.toISOString() ?? '',
    receivedAt: receivedAt?.toISOString() ?? '',
    source,
    ...(details !== undefined && { details }),
  }
}

function detailsOf(event: CareEvent) {
  const { visitStarted, visitEnded, noteAdded, medicationAdministered, vitalRecorded } = event
  const details = visitStarted ?? visitEnded ?? noteAdded ?? medicationAdministered ?? vitalRecorded
  if (details === undefined) return undefined
  // The contract's way of saying "not given" is an empty text or 0; the wire leaves such a field out.
  const given = Object.entries(details).filter(([, value]) => value !== undefined && value !== '' && value !== 0)
  return Object.fromEntries(given.map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]))
}
