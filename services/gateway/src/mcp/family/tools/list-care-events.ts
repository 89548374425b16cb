import type { CareEvent } from '@family-inbox/proto/carecircle/v1/care_circle'
import { z } from 'zod'
import { cursor, instant, limit, lovedOneId, nextCursor, time } from '../fields/fields.ts'
import { defineTool } from './tool.ts'

const MOST_TYPES = 20
const TYPES_ERROR = `types must be a list of at most ${MOST_TYPES} event types, such as ["note_added"].`

const types = z
  .array(z.string({ error: TYPES_ERROR }).min(1, { error: TYPES_ERROR }).max(100, { error: TYPES_ERROR }), {
    error: TYPES_ERROR,
  })
  .max(MOST_TYPES, { error: TYPES_ERROR })
  .optional()
  .describe('Such as note_added.')

/** SPEC "Care event". */
const careEventFields = {
  id: z.string(),
  eventType: z.string(),
  occurredAt: time,
  receivedAt: time,
  source: z.string(),
  details: z.looseObject({}).optional().describe('Depends on eventType.'),
}

export const listCareEvents = defineTool({
  description:
    'List the events that care agencies reported for one loved one, latest first: visits of caregivers, notes, medication, vital signs, falls. pipeAvailable is false while no agency shares events.',
  untrusted: ['events[].eventType', 'events[].source', 'events[].details'],
  input: z.strictObject({
    lovedOneId,
    limit,
    cursor,
    since: instant('since').describe('Occurred then or later.'),
    until: instant('until').describe('Occurred before.'),
    types,
  }),
  output: z.strictObject({
    events: z.array(z.strictObject(careEventFields)),
    pipeAvailable: z.boolean(),
    nextCursor,
  }),
  async call({ lovedOneId, limit, cursor = '', since, until, types = [] }, { ctx, on }) {
    const request = {
      lovedOneId,
      pageSize: limit,
      pageToken: cursor,
      since: since ? new Date(since) : undefined,
      until: until ? new Date(until) : undefined,
      eventTypes: types,
    }
    const { events, pipeAvailable, nextPageToken } = await ctx.careCircle.listCareEvents(request, on)
    return {
      events: events.map(toCareEventFields),
      pipeAvailable,
      ...(nextPageToken !== '' && { nextCursor: nextPageToken }),
    }
  },
})

function toCareEventFields(event: CareEvent) {
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
  // The contract uses an empty text or 0 for "not given"; leave such fields out.
  const given = Object.entries(details).filter(([, value]) => value !== undefined && value !== '' && value !== 0)
  return Object.fromEntries(given.map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]))
}
