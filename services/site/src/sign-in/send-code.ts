import type { Context } from '../context.ts'
import type { Cookie } from '../shell/cookies.ts'
import { asSite } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import { SIGN_IN_SECONDS, type SignIn, writeSignIn } from './sign-in-cookie.ts'

/** Mails a code and binds the sign-in to this browser. A code for an invitation goes to the invited address, which only its reader learns. */
export async function sendCode(ctx: Context, visit: Visit, to: Omit<SignIn, 'challenge'>): Promise<Cookie> {
  const { clientAddress, cookies } = visit
  const { email } = to.invitation
    ? await ctx.careCircle.getInvitedAddress({ token: to.invitation }, asSite(visit))
    : { email: to.email }
  const request = { email, clientAddress, device: cookies.device }
  const { challenge } = await ctx.auth.startSignIn(request, asSite(visit))
  return { name: 'signIn', value: writeSignIn({ ...to, challenge }), maxAgeSec: SIGN_IN_SECONDS }
}
