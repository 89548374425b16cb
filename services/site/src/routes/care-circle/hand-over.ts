import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { asPerson } from '../../session.ts'

/** Makes somebody else the owner, and the reader a coordinator. */
export function handOver(ctx: Context): HouseholdHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.transferOwnership({ personId: visit.param('id').slice(0, 128) }, asPerson(session, visit))
    return { redirectTo: '/care-circle', notice: 'handed-over' }
  }
}
