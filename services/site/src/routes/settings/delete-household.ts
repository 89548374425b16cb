import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { deleteHouseholdPage } from '../../pages/settings/delete-household.ts'
import { asPerson } from '../../session.ts'
import { isConfirmed } from '../../settings/is-confirmed.ts'
import { requireHouseholdOwner } from '../../settings/require-household-owner.ts'

/** Deletes the household, once its owner has typed its name. */
export function deleteHousehold(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    requireHouseholdOwner(household)
    const confirm = visit.field('confirm').slice(0, 1000)
    if (!isConfirmed(confirm, household.name)) {
      const errors = { confirm: 'Type the name of the household just as it is shown' }
      return { status: 422, page: deleteHouseholdPage({ household, values: { confirm }, errors }) }
    }
    await ctx.careCircle.deleteWorkspace({}, asPerson(household.session, visit))
    return { redirectTo: '/households', notice: 'household-deleted' }
  }
}
