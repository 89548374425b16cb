import { MOST_LISTED } from '@family-inbox/workspace-kit/tool-catalogue'
import { z } from 'zod'

/** Arguments and result fields that several tools share. Messages name the field, in words an agent can act on. */

export const lovedOneId = id('lovedOneId', 'The id of a loved one, from list_loved_ones.')
export const messageId = id('messageId', 'The id of a message, from list_inbox_messages.')

const outOfRange = { error: `limit must be a whole number from 1 to ${MOST_LISTED}.` }

export const limit = z
  .int(outOfRange)
  .min(1, outOfRange)
  .max(MOST_LISTED, outOfRange)
  .default(20)
  .describe(`How many to list at most, 1 to ${MOST_LISTED}.`)

export const cursor = z
  .string({ error: 'cursor must be the nextCursor of an earlier result.' })
  .max(400, { error: 'cursor must be the nextCursor of an earlier result.' })
  .optional()
  .describe('The nextCursor of an earlier answer, to go on from there.')

export const nextCursor = z
  .string()
  .optional()
  .describe('Pass it as cursor to list what comes next. Absent on the last page.')

/** An argument of free text; what it may hold is decided by the service that stores it. */
export function text(field: string, max: number, description: string) {
  const error = (issue: { input?: unknown }) =>
    issue.input === undefined ? `${field} is required.` : `${field} must be text.`
  return z
    .string({ error })
    .min(1, { error: `${field} must not be empty.` })
    .max(max, { error: `${field} must be at most ${max} characters.` })
    .describe(description)
}

export const idempotencyKey = text(
  'idempotencyKey',
  200,
  'Any text that names this request. Trying again with the same key has the same effect, once.',
).optional()

/**
 * An argument that is a moment, as ISO 8601 with its zone: without one it would be a guess which moment is meant. An empty text
 * was not given.
 */
export function instant(field: string, description: string) {
  const error = `${field} must be an ISO 8601 time with its zone, like 2026-05-12T08:00:00Z.`
  return z
    .string({ error })
    .refine((value) => value === '' || moment.safeParse(value).success, { error })
    .optional()
    .meta({ format: 'date-time', description: `${description}; ISO 8601 with its zone, like 2026-05-12T08:00:00Z.` })
}

const moment = z.iso.datetime({ offset: true }).max(40)

/** An ISO 8601 time in UTC. */
export const time = z.iso.datetime()

/** An address to hold against another; what is no address matches none. */
export const expectedTo = text(
  'expectedTo',
  320,
  'The address you expect the reply to go to. Any other is refused, and nothing is sent.',
).optional()

function id(field: string, description: string) {
  const error = (issue: { input?: unknown }) =>
    issue.input === undefined ? `${field} is required.` : `${field} must be an id, a string.`
  return z
    .string({ error })
    .min(1, { error: `${field} is required.` })
    .max(200, { error: `${field} is too long for an id.` })
    .describe(description)
}
