import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { readRole } from '../../parts/role.ts'
import { asPerson } from '../../session.ts'

/** Gives a person of the care circle another role. */
export function changeRole(ctx: Context): HouseholdHandler {
  return async (visit, { session }) => {
    const personId = visit.param('id').slice(0, 128)
    await ctx.careCircle.changeRole({ personId, role: readRole(visit.field('role')) }, asPerson(session, visit))
    return { redirectTo: '/care-circle', notice: 'role-changed' }
  }
}
