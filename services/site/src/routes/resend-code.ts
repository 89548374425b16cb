import type { Context } from '../context.ts'
import type { VisitHandler } from '../http/visit.ts'
import { asSite } from '../session.ts'
import { readSignIn, SIGN_IN_SECONDS, writeSignIn } from '../sign-in-cookie.ts'

/** Has another code mailed to the same address; the challenge is a new one, so the code before it is worth nothing. */
export function resendCode(ctx: Context): VisitHandler {
  return async (visit) => {
    const signIn = readSignIn(visit.cookies.signIn)
    if (signIn === undefined) return { redirectTo: '/sign-in' }
    const { email, returnTo } = signIn
    const { clientAddress, cookies } = visit
    const { challenge } = await ctx.auth.startSignIn({ email, clientAddress, device: cookies.device }, asSite(visit))
    const value = writeSignIn({ challenge, email, returnTo })
    return { redirectTo: '/sign-in/code?sent=again', cookies: [{ name: 'signIn', value, maxAgeSec: SIGN_IN_SECONDS }] }
  }
}
