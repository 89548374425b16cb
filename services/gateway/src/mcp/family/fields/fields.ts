import { MOST_LISTED } from '@family-inbox/workspace-kit/tool-catalogue'
import { z } from 'zod'

export const lovedOneId = id('lovedOneId').describe('From list_loved_ones.')
export const messageId = id('messageId').describe('From list_inbox_messages.')

const outOfRange = { error: `limit must be a whole number from 1 to ${MOST_LISTED}.` }

export const limit = z
  .int(outOfRange)
  .min(1, outOfRange)
  .max(MOST_LISTED, outOfRange)
  .default(20)
  .describe('The most to return.')

export const cursor = z
  .string({ error: 'cursor must be the nextCursor of an earlier result.' })
  .max(400, { error: 'cursor must be the nextCursor of an earlier result.' })
  .optional()
  .describe('From nextCursor.')

export const nextCursor = z.string().optional()

/** A text argument. The service that stores it decides what it may contain. */
export function text(field: string, max: number, description?: string) {
  const error = (issue: { input?: unknown }) =>
    issue.input === undefined ? `${field} is required.` : `${field} must be text.`
  const schema = z
    .string({ error })
    .min(1, { error: `${field} must not be empty.` })
    .max(max, { error: `${field} must be at most ${max} characters.` })
  return description === undefined ? schema : schema.describe(description)
}

export const idempotencyKey = text('idempotencyKey', 200, 'Repeats with the same key act once.').optional()

/** A time argument: ISO 8601 with a zone. Empty text counts as absent. */
export function instant(field: string) {
  const error = `${field} must be an ISO 8601 time with a zone, such as 2026-05-12T08:00:00Z.`
  return z
    .string({ error })
    .refine((value) => value === '' || moment.safeParse(value).success, { error })
    .optional()
    .meta({ format: 'date-time' })
}

/** An argument that is one of a few names. */
export function choice(field: string, names: readonly string[]) {
  return z.enum(names, { error: `${field} must be one of: ${names.join(', ')}.` }).optional()
}

export function yesOrNo(field: string) {
  return z.boolean({ error: `${field} must be true or false.` }).optional()
}

const moment = z.iso.datetime({ offset: true }).max(40)

export const time = z.iso.datetime()

/** Compared with the actual address; invalid text simply never matches. */
export const expectedTo = text('expectedTo', 320, 'Nothing is sent if the reply would go elsewhere.').optional()

function id(field: string) {
  const error = (issue: { input?: unknown }) =>
    issue.input === undefined ? `${field} is required.` : `${field} must be an id, as a string.`
  return z
    .string({ error })
    .min(1, { error: `${field} is required.` })
    .max(200, { error: `${field} is too long for an id.` })
}
