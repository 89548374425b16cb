import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { revokeToolKeyPage } from '../../pages/settings/revoke-tool-key.ts'
import { asPerson } from '../../session.ts'
import { notFound } from '../../settings/not-found.ts'

/** Asks whether a key shall really end; one that has ended needs no question. */
export function showRevokeToolKey(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const request = { keyId: visit.param('id').slice(0, 128) }
    const { key } = await ctx.auth.getToolKey(request, asPerson(household.session, visit))
    if (key === undefined) throw notFound()
    if (key.revokedAt !== undefined) return { redirectTo: '/settings/tool-keys' }
    return { page: revokeToolKeyPage({ household, clock: visit.clock, key }) }
  }
}
