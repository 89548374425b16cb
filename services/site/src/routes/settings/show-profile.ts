import type { HouseholdHandler } from '../../household.ts'
import { profilePage } from '../../pages/settings/profile.ts'

/** Shows the reader's name, to be changed, and their address. */
export function showProfile(): HouseholdHandler {
  return async (_visit, household) => ({
    page: profilePage({ household, values: { name: household.session.name }, errors: {} }),
  })
}
