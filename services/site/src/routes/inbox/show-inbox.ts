import type { Context } from '../../context.ts'
import { type HouseholdHandler, requireLovedOne } from '../../household.ts'
import { readListQuery } from '../../inbox/list-query.ts'
import { readMailList } from '../../inbox/read-list.ts'
import { inboxPage } from '../../pages/inbox/inbox.ts'

/** Shows the mail of a loved one, or of everyone. */
export function showInbox(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const id = visit.param('lovedOneId')
    const query = readListQuery(visit, id === '' ? undefined : requireLovedOne(household, id))
    return { page: inboxPage(await readMailList(ctx, visit, household, query), visit.clock) }
  }
}
