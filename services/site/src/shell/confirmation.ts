import { z } from 'zod'
import { readCookieValue, writeCookieValue } from './cookie-value.ts'
import { safeReturnTo } from './return-to.ts'

/** A pending identity check, stored in the browser's cookie: the page to return to, its form fields, and the code challenge. */
export type Confirmation = { returnTo: string; fields: Record<string, string>; challenge: string }

/** Longer than a mailed code is valid. */
export const CONFIRMATION_SECONDS = 900

/** In characters, as many as an invitation's note has; keeps the cookie small enough for browsers. */
const MAX_FIELD_LENGTH = 500

const schema = z.object({
  returnTo: z.string(),
  fields: z.record(z.string(), z.string().max(MAX_FIELD_LENGTH)),
  challenge: z.string().max(1000),
})

export function writeConfirmation(confirmation: Confirmation): string {
  const fields = Object.entries(confirmation.fields).map(([name, value]) => [name, value.slice(0, MAX_FIELD_LENGTH)])
  return writeCookieValue({ ...confirmation, fields: Object.fromEntries(fields) })
}

export function readConfirmation(cookie: string): Confirmation | undefined {
  const confirmation = readCookieValue(schema, cookie)
  return confirmation && { ...confirmation, returnTo: safeReturnTo(confirmation.returnTo) }
}
