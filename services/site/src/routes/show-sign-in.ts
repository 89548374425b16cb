import type { Context } from '../context.ts'
import { safeReturnTo } from '../http/return-to.ts'
import type { VisitHandler } from '../http/visit.ts'
import { signInPage } from '../pages/sign-in.ts'
import { findSession } from '../session.ts'

/** Shows the question for the email; who is signed in already goes straight on, unless they are to prove it again. */
export function showSignIn(ctx: Context): VisitHandler {
  return async (visit) => {
    const returnTo = safeReturnTo(visit.query('return_to'))
    const again = visit.query('again') !== ''
    if (!again && (await findSession(ctx, visit))) return { redirectTo: returnTo }
    return { page: signInPage({ email: '', returnTo, errors: {}, again }) }
  }
}
