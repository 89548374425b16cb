import { StatusError } from '@family-inbox/service-kit/status-error'
import { confirmationOf, confirmed } from '../../confirm/confirm-reply.ts'
import type { Context } from '../../context.ts'
import { confirmCodePage } from '../../pages/confirm.ts'
import { asSite, type SignedInHandler, toViewer } from '../../session.ts'

/** Confirms with the mailed code, and leads back to what the reader was about to do. */
export function confirmWithCode(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const { challenge, returnTo } = confirmationOf(visit)
    const code = visit.field('code').trim().slice(0, 64)
    const ask = (error: string) => ({
      status: 422,
      page: confirmCodePage({ viewer: toViewer(session), returnTo, errors: { code: error } }),
    })
    if (code === '') return ask('Enter the code from the email')
    try {
      await ctx.auth.confirmSession(
        { session: visit.cookies.session, challenge, code, passkey: undefined },
        asSite(visit),
      )
      return confirmed(visit)
    } catch (error) {
      if (error instanceof StatusError && error.detail.field === 'code') return ask(error.message)
      throw error
    }
  }
}
