import type { DeleteAccountRequest, DeleteAccountResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { REMOVAL_GRACE_MS, removeAccount } from '../removal.ts'

/** The removal is stored first, so that the sweeper finishes it after a crash. */
export function deleteAccount(ctx: Context): Handler<DeleteAccountRequest, DeleteAccountResponse> {
  return async (_request, call) => {
    const { personId, email } = requirePrincipal(call)
    if (email === undefined) throw new StatusError('FAILED_PRECONDITION', 'Sign in with your email to do this.')
    requireRecentSignIn(call)
    const removal = { _id: personId, email, dueAt: new Date(Date.now() + REMOVAL_GRACE_MS) }
    await ctx.accountRemovals.replaceOne({ _id: personId }, removal, { upsert: true })
    await removeAccount(ctx, removal, call.deadline)
    return {}
  }
}
