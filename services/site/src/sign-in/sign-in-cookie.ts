import { z } from 'zod'
import { readCookieValue, writeCookieValue } from '../shell/cookie-value.ts'
import { safeReturnTo } from '../shell/return-to.ts'

/** Stored only in the browser that started it. Needs no signature: a forged value gives nothing that the form would not. */
type SignIn = { challenge: string; email: string; returnTo: string }

/** The lifetime of a code. */
export const SIGN_IN_SECONDS = 600

const schema = z.object({ challenge: z.string().max(1000), email: z.string().max(254), returnTo: z.string() })

export function writeSignIn(signIn: SignIn): string {
  return writeCookieValue(signIn)
}

export function readSignIn(cookie: string): SignIn | undefined {
  const signIn = readCookieValue(schema, cookie)
  return signIn && { ...signIn, returnTo: safeReturnTo(signIn.returnTo) }
}
