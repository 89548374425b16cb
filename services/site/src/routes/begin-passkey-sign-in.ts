import { randomBytes } from 'node:crypto'
import { passkeyOptions } from '../confirm/passkey-options.ts'
import type { Context } from '../context.ts'
import type { VisitHandler } from '../http/visit.ts'
import { asSite } from '../session.ts'

const BROWSER_SECONDS = 3600
const SECRET = /^[\w-]{43}$/

/** Answers the script with what it needs to ask for a passkey. Several tabs of one browser share its secret. */
export function beginPasskeySignIn(ctx: Context): VisitHandler {
  return async (visit) => {
    const known = visit.cookies.passkey
    const browser = SECRET.test(known) ? known : randomBytes(32).toString('base64url')
    const begun = await ctx.auth.beginPasskey({ browser, session: '' }, asSite(visit))
    return passkeyOptions(begun, [{ name: 'passkey', value: browser, maxAgeSec: BROWSER_SECONDS }])
  }
}
