import type { HouseholdHandler } from '../../household.ts'
import { deleteHouseholdPage } from '../../pages/settings/delete-household.ts'
import { requireHouseholdOwner } from '../../settings/require-household-owner.ts'

/** Asks the owner whether the household shall really go, and says what goes with it. */
export function showDeleteHousehold(): HouseholdHandler {
  return async (visit, household) => {
    requireHouseholdOwner(household)
    return { page: deleteHouseholdPage({ household, values: { confirm: visit.kept('confirm') }, errors: {} }) }
  }
}
