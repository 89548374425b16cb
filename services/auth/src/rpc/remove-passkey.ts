import type { RemovePasskeyRequest, RemovePasskeyResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'

/** Mailed codes still work, so this locks nobody out. */
export function removePasskey(ctx: Context): Handler<RemovePasskeyRequest, RemovePasskeyResponse> {
  return async ({ passkeyId }, call) => {
    const { personId } = requirePrincipal(call)
    requireRecentSignIn(call)
    const { deletedCount } = await ctx.passkeys.deleteOne({ _id: passkeyId, personId })
    if (deletedCount === 1) return {}
    throw new StatusError('NOT_FOUND', 'You have no passkey with this id.', { field: 'passkeyId' })
  }
}
