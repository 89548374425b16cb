import type { HouseholdHandler } from '../../household.ts'
import { yourDataPage } from '../../pages/settings/your-data.ts'

/** Shows what can be done with what is kept: take it along, leave it, delete it. */
export function showYourData(): HouseholdHandler {
  return async (_visit, household) => ({ page: yourDataPage({ household }) })
}
