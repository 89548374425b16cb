import type { Context } from '../context.ts'
import type { HouseholdHandler } from '../household.ts'
import { asPerson } from '../session.ts'

/** Gives a loved one their address; the same again when they have one. */
export function allocateAddress(ctx: Context): HouseholdHandler {
  return async (visit, { session }) => {
    await ctx.inbox.allocateInboxAddress({ lovedOneId: visit.param('id').slice(0, 128) }, asPerson(session, visit))
    return { redirectTo: '/care-circle', notice: 'address-allocated' }
  }
}
