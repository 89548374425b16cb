import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { asPerson } from '../../session.ts'

/** Ends a key of the reader's. */
export function revokeToolKey(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    await ctx.auth.revokeToolKey({ keyId: visit.param('id').slice(0, 128) }, asPerson(household.session, visit))
    return { redirectTo: '/settings/tool-keys', notice: 'key-revoked' }
  }
}
