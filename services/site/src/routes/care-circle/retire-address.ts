import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { asPerson } from '../../session.ts'

/** Retires the very address the form asked about, so that a form sent twice does not end the one after it. */
export function retireAddress(ctx: Context): HouseholdHandler {
  return async (visit, { session }) => {
    const lovedOneId = visit.param('id').slice(0, 128)
    const address = visit.field('address').slice(0, 320)
    await ctx.inbox.retireInboxAddress({ lovedOneId, address }, asPerson(session, visit))
    return { redirectTo: `/care-circle/loved-ones/${lovedOneId}`, notice: 'address-retired' }
  }
}
