import { StatusError } from '@family-inbox/service-kit/status-error'
import { beginVisitSession } from '../begin-visit-session.ts'
import type { Context } from '../context.ts'
import { safeReturnTo } from '../http/return-to.ts'
import type { VisitHandler } from '../http/visit.ts'
import { signInPage } from '../pages/sign-in.ts'
import { asSite } from '../session.ts'

/** Turns a passkey into a session; when it is not accepted, the page says why and offers a code. */
export function finishPasskeySignIn(ctx: Context): VisitHandler {
  return async (visit) => {
    const returnTo = safeReturnTo(visit.field('return_to'))
    const passkey = { ceremony: visit.field('ceremony'), response: visit.field('response') }
    const { passkey: browser, device } = visit.cookies
    try {
      const request = { browser, passkey, userAgent: visit.userAgent, device }
      return await beginVisitSession(ctx, visit, await ctx.auth.finishPasskeySignIn(request, asSite(visit)), returnTo)
    } catch (error) {
      if (!(error instanceof StatusError) || error.detail.field !== 'passkey') throw error
      return { status: 422, page: signInPage({ email: '', returnTo, errors: { passkey: error.message } }) }
    }
  }
}
