import type { Context } from '../context.ts'
import { toFieldErrors } from '../form-errors.ts'
import { safeReturnTo } from '../http/return-to.ts'
import type { VisitHandler } from '../http/visit.ts'
import { signInPage } from '../pages/sign-in.ts'
import { asSite } from '../session.ts'
import { SIGN_IN_SECONDS, writeSignIn } from '../sign-in-cookie.ts'

/** Has a code mailed, and binds the sign-in to this browser. Answers alike whether or not the address is known. */
export function startSignIn(ctx: Context): VisitHandler {
  return async (visit) => {
    const email = visit.field('email').trim().slice(0, 254)
    const returnTo = safeReturnTo(visit.field('return_to'))
    try {
      const { clientAddress, cookies } = visit
      const request = { email, clientAddress, device: cookies.device }
      const { challenge } = await ctx.auth.startSignIn(request, asSite(visit))
      const value = writeSignIn({ challenge, email, returnTo })
      return { redirectTo: '/sign-in/code', cookies: [{ name: 'signIn', value, maxAgeSec: SIGN_IN_SECONDS }] }
    } catch (error) {
      return { status: 422, page: signInPage({ email, returnTo, errors: toFieldErrors(error, WORDS) }) }
    }
  }
}

const WORDS = { email: 'Type your email address, like ana@example.org' }
