import type { Context } from '../context.ts'
import type { HouseholdHandler } from '../household.ts'
import { settingsPage } from '../pages/settings.ts'

/** Shows who is signed in, and what they can set. */
export function showSettings(ctx: Context): HouseholdHandler {
  return async (_visit, household) => ({
    page: settingsPage({ household, connectUrl: `${ctx.config.urls.base}/getting-started` }),
  })
}
