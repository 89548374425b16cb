import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { asPerson } from '../../session.ts'

/** Takes the reader out of the care circle, and leads to another of theirs, or to making one. */
export function leave(ctx: Context): HouseholdHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.removeMember({ personId: session.personId }, asPerson(session, visit))
    return { redirectTo: '/households', notice: 'left' }
  }
}
