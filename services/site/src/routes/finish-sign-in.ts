import { StatusError } from '@family-inbox/service-kit/status-error'
import { beginVisitSession } from '../begin-visit-session.ts'
import type { Context } from '../context.ts'
import type { Reply } from '../http/reply.ts'
import type { VisitHandler } from '../http/visit.ts'
import { signInCodePage } from '../pages/sign-in-code.ts'
import { signInOverPage } from '../pages/sign-in-over.ts'
import { asSite } from '../session.ts'
import { readSignIn } from '../sign-in-cookie.ts'

/** Turns the code into a session of its own: a session this browser had before is ended, not carried over. */
export function finishSignIn(ctx: Context): VisitHandler {
  return async (visit) => {
    const signIn = readSignIn(visit.cookies.signIn)
    if (signIn === undefined) return { redirectTo: '/sign-in' }
    const code = visit.field('code').trim().slice(0, 64)
    if (code === '') return codePage(signIn.email, 'Enter the code from the email')
    try {
      const { userAgent, cookies } = visit
      const request = { challenge: signIn.challenge, code, userAgent, device: cookies.device }
      return await beginVisitSession(ctx, visit, await ctx.auth.finishSignIn(request, asSite(visit)), signIn.returnTo)
    } catch (error) {
      if (error instanceof StatusError) return explain(error, signIn.email)
      throw error
    }
  }
}

/** Why there is no session: a code to be typed once more, or one that no longer works. Auth's own words say which. */
function explain(error: StatusError, email: string): Reply {
  if (error.status === 'INVALID_ARGUMENT') return codePage(email, error.message)
  if (error.status !== 'FAILED_PRECONDITION') throw error
  return { status: 422, page: signInOverPage({ reason: error.message }) }
}

function codePage(email: string, message: string): Reply {
  return { status: 422, page: signInCodePage({ email, errors: { code: message } }) }
}
