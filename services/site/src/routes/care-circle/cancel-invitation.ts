import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { asPerson } from '../../session.ts'

/** Takes an invitation back. */
export function cancelInvitation(ctx: Context): HouseholdHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.cancelInvitation({ invitationId: visit.param('id').slice(0, 128) }, asPerson(session, visit))
    return { redirectTo: '/care-circle', notice: 'invitation-cancelled' }
  }
}
