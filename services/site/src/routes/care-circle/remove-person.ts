import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { asPerson } from '../../session.ts'

/** Removes somebody from the care circle. */
export function removePerson(ctx: Context): HouseholdHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.removeMember({ personId: visit.param('id').slice(0, 128) }, asPerson(session, visit))
    return { redirectTo: '/care-circle', notice: 'person-removed' }
  }
}
