import { randomBytes } from 'node:crypto'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { passkeyOptions } from '../shell/passkey-form.ts'
import { safeReturnTo } from '../shell/return-to.ts'
import { asSite } from '../shell/session.ts'
import type { VisitHandler } from '../shell/visit.ts'
import { signInPage } from './sign-in.ts'
import { startSession } from './start-session.ts'

const BROWSER_SECONDS = 3600
const SECRET = /^[\w-]{43}$/

/** Starts a passkey sign-in; all tabs of a browser share its secret. */
export function beginPasskeySignIn(ctx: Context): VisitHandler {
  return async (visit) => {
    const known = visit.cookies.passkey
    const browser = SECRET.test(known) ? known : randomBytes(32).toString('base64url')
    const begun = await ctx.auth.beginPasskey({ browser, session: '' }, asSite(visit))
    return passkeyOptions(begun, [{ name: 'passkey', value: browser, maxAgeSec: BROWSER_SECONDS }])
  }
}

/** Signs the person in with a passkey, or explains why it was refused and offers a code. */
export function finishPasskeySignIn(ctx: Context): VisitHandler {
  return async (visit) => {
    const returnTo = safeReturnTo(visit.field('return_to'))
    const passkey = { ceremony: visit.field('ceremony'), response: visit.field('response') }
    const { passkey: browser, device } = visit.cookies
    try {
      const request = { browser, passkey, userAgent: visit.userAgent, device }
      return await startSession(ctx, visit, await ctx.auth.finishPasskeySignIn(request, asSite(visit)), returnTo)
    } catch (error) {
      if (!(error instanceof StatusError) || error.detail.field !== 'passkey') throw error
      const errors = { passkey: error.message }
      return { status: 422, page: signInPage({ email: '', returnTo, errors, ...(await ctx.readSwitches()) }) }
    }
  }
}
