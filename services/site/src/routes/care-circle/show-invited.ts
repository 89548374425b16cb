import { requireWriter } from '../../care-circle/owner-rules.ts'
import { readCircle, requireInvited } from '../../care-circle/read-circle.ts'
import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { invitedPersonPage } from '../../pages/care-circle/invitation.ts'

/** Shows an invitation that nobody has answered. */
export function showInvited(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const invitation = requireInvited(await readCircle(ctx, visit, household), visit.param('id'))
    requireWriter(household)
    return { page: invitedPersonPage({ household, clock: visit.clock, invitation }) }
  }
}
