import type { Context } from '../context.ts'
import type { HouseholdHandler } from '../household.ts'
import { connectPage } from '../pages/connect.ts'

/** Shows how to connect an assistant, with this installation's own address. */
export function showConnect({ config }: Context): HouseholdHandler {
  return async (_visit, household) => ({ page: connectPage({ household, endpoint: `${config.urls.api}/mcp/v1` }) })
}
