import { StatusError } from '@family-inbox/service-kit/status-error'
import { confirmed, confirmReply } from '../../confirm/confirm-reply.ts'
import type { Context } from '../../context.ts'
import { asSite, type SignedInHandler } from '../../session.ts'

/** Confirms with a passkey of the reader's, and leads back to what they were about to do. */
export function confirmWithPasskey(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const passkey = { ceremony: visit.field('ceremony'), response: visit.field('response') }
    const request = { session: visit.cookies.session, challenge: '', code: '', passkey }
    try {
      await ctx.auth.confirmSession(request, asSite(visit))
      return confirmed(visit)
    } catch (error) {
      if (error instanceof StatusError && error.detail.field === 'passkey')
        return confirmReply(ctx, visit, session, error.message)
      throw error
    }
  }
}
