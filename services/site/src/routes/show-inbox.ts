import type { Context } from '../context.ts'
import { type HouseholdHandler, requireLovedOne } from '../household.ts'
import { inboxPage } from '../pages/inbox.ts'
import { asPerson } from '../session.ts'

/** Shows the newest mail of a loved one, or of everyone. */
export function showInbox(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const id = visit.param('lovedOneId')
    const lovedOne = id === '' ? undefined : requireLovedOne(household, id)
    const shown = lovedOne ? [lovedOne] : household.lovedOnes
    const lists = await Promise.all(
      shown.map((one) =>
        ctx.inbox.listInboxMessages(
          { lovedOneId: one.id, pageSize: 20, pageToken: '' },
          asPerson(household.session, visit),
        ),
      ),
    )
    const messages = lists
      .flatMap((list) => list.messages)
      .sort((a, b) => (b.receivedAt?.getTime() ?? 0) - (a.receivedAt?.getTime() ?? 0))
    return { page: inboxPage({ household, clock: visit.clock, lovedOne, messages }) }
  }
}
