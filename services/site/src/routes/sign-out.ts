import type { Context } from '../context.ts'
import { safeReturnTo, withReturnTo } from '../http/return-to.ts'
import type { VisitHandler } from '../http/visit.ts'
import { asPerson, findSession } from '../session.ts'

/** Ends the session where it is kept, then forgets it here. When it cannot be ended, the error says so and it stays. */
export function signOut(ctx: Context): VisitHandler {
  return async (visit) => {
    const session = await findSession(ctx, visit)
    if (session) await ctx.auth.revokeSessions({ sessionId: session.sessionId }, asPerson(session, visit))
    const returnTo = safeReturnTo(visit.field('return_to'))
    const redirectTo = returnTo === '/' ? '/signed-out' : withReturnTo('/sign-in', returnTo)
    return { redirectTo, cookies: [{ name: 'session' }] }
  }
}
