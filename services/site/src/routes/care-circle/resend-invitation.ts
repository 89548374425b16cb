import { invitationSentReply } from '../../care-circle/invitation-sent-reply.ts'
import { readCircle, requireInvited } from '../../care-circle/read-circle.ts'
import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { asPerson } from '../../session.ts'

/** Sends an invitation again, and shows its new link, once. */
export function resendInvitation(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const { id, email } = requireInvited(await readCircle(ctx, visit, household), visit.param('id'))
    const sent = await ctx.careCircle.resendInvitation({ invitationId: id }, asPerson(household.session, visit))
    return invitationSentReply(ctx, visit, household, { email, ...sent })
  }
}
