import { needsRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { z } from 'zod'
import { safeReturnTo } from './return-to.ts'
import type { VisitHandler } from './visit.ts'

/**
 * For what needs a recent sign-in. The services decide; whoever they refuse confirms that it is them, comes back to the same path, and
 * finds what they had typed.
 * @param keep the fields of the form that are worth keeping
 */
export function recentlySignedIn(handler: VisitHandler, keep: readonly string[] = []): VisitHandler {
  return async (visit) => {
    try {
      return await handler(visit)
    } catch (error) {
      if (!needsRecentSignIn(error)) throw error
      const fields = Object.fromEntries(keep.map((name) => [name, visit.field(name)]))
      const value = writeConfirmation({ returnTo: safeReturnTo(visit.path), fields, challenge: '' })
      return { redirectTo: '/confirm', cookies: [{ name: 'confirm', value, maxAgeSec: CONFIRMATION_SECONDS }] }
    }
  }
}

/**
 * What a person was about to do when they were asked to confirm that it is them, kept by their own browser: the page to go back to,
 * what they had typed there, and the challenge of the code they were mailed.
 */
export type Confirmation = { returnTo: string; fields: Record<string, string>; challenge: string }

/** Long enough to read an email, and for the code in it to expire. */
export const CONFIRMATION_SECONDS = 900

/** The longest value that is kept, in characters. */
const MAX_VALUE = 300

const schema = z.object({
  returnTo: z.string(),
  fields: z.record(z.string(), z.string().max(MAX_VALUE)),
  challenge: z.string().max(1000),
})

export function writeConfirmation(confirmation: Confirmation): string {
  const fields = Object.entries(confirmation.fields).map(([name, value]) => [name, value.slice(0, MAX_VALUE)])
  return Buffer.from(JSON.stringify({ ...confirmation, fields: Object.fromEntries(fields) })).toString('base64url')
}

/** Reads what `writeConfirmation` wrote; undefined for anything else. */
export function readConfirmation(cookie: string): Confirmation | undefined {
  if (cookie === '') return undefined
  try {
    const confirmation = schema.parse(JSON.parse(Buffer.from(cookie, 'base64url').toString()))
    return { ...confirmation, returnTo: safeReturnTo(confirmation.returnTo) }
  } catch {
    return undefined
  }
}
