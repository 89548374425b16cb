import { describeError } from '@family-inbox/service-kit/logger'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import type { Reply } from '../http/reply.ts'
import type { Visit, VisitHandler } from '../http/visit.ts'
import { signInCodePage } from '../pages/sign-in-code.ts'
import { signInOverPage } from '../pages/sign-in-over.ts'
import { asPerson, asSite, findSession } from '../session.ts'
import { readSignIn } from '../sign-in-cookie.ts'

/** Turns the code into a session of its own: a session this browser had before is ended, not carried over. */
export function finishSignIn(ctx: Context): VisitHandler {
  return async (visit) => {
    const signIn = readSignIn(visit.cookies.signIn)
    if (signIn === undefined) return { redirectTo: '/sign-in' }
    const code = visit.field('code').trim().slice(0, 64)
    if (code === '') return codePage(signIn.email, 'Type the code from the mail')
    try {
      const request = { challenge: signIn.challenge, code, userAgent: visit.userAgent }
      const { session, expiresAt } = await ctx.auth.finishSignIn(request, asSite(visit))
      await endFormerSession(ctx, visit)
      const maxAgeSec = expiresAt ? Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000)) : undefined
      return {
        redirectTo: signIn.returnTo,
        cookies: [{ name: 'session', value: session, maxAgeSec }, { name: 'signIn' }],
      }
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

/** Done on the way: a sign-in that has succeeded does not fail because the session before it could not be ended. */
async function endFormerSession(ctx: Context, visit: Visit): Promise<void> {
  try {
    const former = await findSession(ctx, visit)
    if (former) await ctx.auth.revokeSessions({ sessionId: former.sessionId }, asPerson(former, visit))
  } catch (error) {
    ctx.logger.warn(describeError(error), 'the session before a sign-in goes on')
  }
}
