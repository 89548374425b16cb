import { z } from 'zod'
import { safeReturnTo } from '../shell/return-to.ts'

/**
 * A sign-in under way, kept by the browser it was begun in and nowhere else: the challenge auth gave it, the address the
 * code went to (to show it, and to send another), and where to go afterwards. The browser may write what it likes here;
 * it gains nothing that typing the same into the form would not give.
 */
export type SignIn = { challenge: string; email: string; returnTo: string }

/** How long a code works, and so the cookie. */
export const SIGN_IN_SECONDS = 600

const schema = z.object({ challenge: z.string().max(1000), email: z.string().max(254), returnTo: z.string() })

export function writeSignIn(signIn: SignIn): string {
  return Buffer.from(JSON.stringify(signIn)).toString('base64url')
}

/** Reads what `writeSignIn` wrote; undefined for anything else. */
export function readSignIn(cookie: string): SignIn | undefined {
  const result = schema.safeParse(parse(cookie))
  return result.success ? { ...result.data, returnTo: safeReturnTo(result.data.returnTo) } : undefined
}

function parse(cookie: string): unknown {
  try {
    return JSON.parse(Buffer.from(cookie, 'base64url').toString())
  } catch {
    return undefined
  }
}
