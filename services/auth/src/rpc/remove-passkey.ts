import type { RemovePasskeyRequest, RemovePasskeyResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { requireWayBack } from '../passkeys/passkey-only.ts'

const ADVICE =
  'You sign in with a passkey only, so this one must stay. Add another passkey or make a recovery sheet first, or let codes sign you in again.'

/** Locks nobody out: mailed codes still work, or enough other ways are left. */
export function removePasskey(ctx: Context): Handler<RemovePasskeyRequest, RemovePasskeyResponse> {
  return async ({ passkeyId }, call) => {
    const { personId } = requirePrincipal(call)
    requireRecentSignIn(call)
    if (await removeUnlessNeeded(ctx, personId, passkeyId)) return {}
    throw new StatusError('NOT_FOUND', 'You have no passkey with this id.', { field: 'passkeyId' })
  }
}

/** Two removals at once conflict in the person's row, and the later one counts again. */
function removeUnlessNeeded(ctx: Context, personId: string, passkeyId: string): Promise<boolean> {
  return ctx.connection.transaction(async (session) => {
    const change = { passkeysChangedAt: new Date() }
    const person = await ctx.people.findOneAndUpdate({ _id: personId }, change, { session }).lean()
    const { deletedCount } = await ctx.passkeys.deleteOne({ _id: passkeyId, personId }, { session })
    if (deletedCount === 1 && person?.passkeyOnlySince) await requireWayBack(ctx, personId, ADVICE, session)
    return deletedCount === 1
  })
}
