import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { asPerson } from '../../session.ts'

/** Removes one of the reader's passkeys. */
export function removePasskey(ctx: Context): HouseholdHandler {
  return async (visit, { session }) => {
    await ctx.auth.removePasskey({ passkeyId: visit.param('id').slice(0, 128) }, asPerson(session, visit))
    return { redirectTo: '/settings/passkeys', notice: 'passkey-removed' }
  }
}
