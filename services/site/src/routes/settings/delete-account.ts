import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../../context.ts'
import { messagePage } from '../../pages/message.ts'
import { asPerson, type SignedInHandler } from '../../session.ts'
import { deleteAccountReply } from '../../settings/delete-account-reply.ts'
import { isConfirmed } from '../../settings/is-confirmed.ts'

/** Deletes the reader's account, once they have typed their address; the last owner of a household hands it over first. */
export function deleteAccount(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const confirm = visit.field('confirm').slice(0, 1000)
    const refuse = (message: string) =>
      deleteAccountReply(ctx, visit, session, { values: { confirm }, errors: { confirm: message } })
    if (!isConfirmed(confirm, session.email)) return refuse('Type your email address just as it is shown')
    try {
      await ctx.auth.deleteAccount({}, asPerson(session, visit))
    } catch (error) {
      if (error instanceof StatusError && error.status === 'FAILED_PRECONDITION') return refuse(LAST_OWNER)
      throw error
    }
    const lines = ['We have forgotten you. If you want to begin anew, sign in with your address at any time.']
    return {
      page: messagePage({
        title: 'Your account is deleted',
        lines,
        next: { label: 'To the first page', href: '/sign-in' },
      }),
      cookies: [{ name: 'session' }],
    }
  }
}

const LAST_OWNER =
  'You are the only owner of a household. Make somebody else its owner in the care circle, or delete the household, first.'
