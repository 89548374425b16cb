import { z } from 'zod'
import { readCookieValue, writeCookieValue } from './cookie-value.ts'
import type { Cookie } from './cookies.ts'
import type { Visit } from './visit.ts'

type Reader = { personId: string }

const CARRIED_SECONDS = 600

const schema = z.object({ personId: z.string(), path: z.string(), data: z.record(z.string(), z.string()) })

/**
 * Carries the result of a form to the page it redirects to, which then can be reloaded, and Back does not send the form again.
 * Stays in the browser, where only this person gets it back. Names and links do not belong in an address.
 */
export function carryTo(path: string, { personId }: Reader, data: Record<string, string>): Cookie {
  return { name: 'carried', value: writeCookieValue({ personId, path, data }), maxAgeSec: CARRIED_SECONDS }
}

export function readCarried({ path, cookies }: Visit, { personId }: Reader): Record<string, string> | undefined {
  const carried = readCookieValue(schema, cookies.carried)
  return carried?.personId === personId && carried.path === path ? carried.data : undefined
}
