import { confirmationCookie, confirmationOf } from '../../confirm/confirm-reply.ts'
import type { Context } from '../../context.ts'
import { asSite, type SignedInHandler } from '../../session.ts'

/** Has a code mailed that confirms this session. */
export function mailConfirmationCode(ctx: Context): SignedInHandler {
  return async (visit) => {
    const { challenge } = await ctx.auth.mailConfirmationCode({ session: visit.cookies.session }, asSite(visit))
    return { redirectTo: '/confirm/code', cookies: [confirmationCookie({ ...confirmationOf(visit), challenge })] }
  }
}
