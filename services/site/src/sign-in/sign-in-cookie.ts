import { z } from 'zod'
import { readCookieValue, writeCookieValue } from '../shell/cookie-value.ts'
import { safeReturnTo } from '../shell/return-to.ts'

/** Stored only in the browser that started it. Needs no signature: a forged value gives nothing that the form would not. */
export type SignIn = {
  challenge: string
  /** As the page shows it: masked for an invitation. */
  email: string
  returnTo: string
  /** Its token, if an invitation led here. */
  invitation?: string | undefined
}

/** The lifetime of a code. */
export const SIGN_IN_SECONDS = 600

const schema = z.object({
  challenge: z.string().max(1000),
  email: z.string().max(254),
  returnTo: z.string(),
  invitation: z.string().max(256).optional(),
})

export function writeSignIn(signIn: SignIn): string {
  return writeCookieValue(signIn)
}

export function readSignIn(cookie: string): SignIn | undefined {
  const signIn = readCookieValue(schema, cookie)
  return signIn && { ...signIn, returnTo: safeReturnTo(signIn.returnTo) }
}
