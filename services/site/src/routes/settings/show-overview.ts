import type { HouseholdHandler } from '../../household.ts'
import { settingsOverview } from '../../pages/settings/overview.ts'

/** Shows what can be set. */
export function showOverview(): HouseholdHandler {
  return async (_visit, household) => ({ page: settingsOverview({ household }) })
}
