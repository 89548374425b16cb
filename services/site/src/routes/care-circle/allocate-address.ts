import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { asPerson } from '../../session.ts'

/** Gives a loved one an address; the same again when they have one. */
export function allocateAddress(ctx: Context): HouseholdHandler {
  return async (visit, { session }) => {
    const lovedOneId = visit.param('id').slice(0, 128)
    await ctx.inbox.allocateInboxAddress({ lovedOneId }, asPerson(session, visit))
    return { redirectTo: `/care-circle/loved-ones/${lovedOneId}`, notice: 'address-allocated' }
  }
}
