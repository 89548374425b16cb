import type { Context } from '../../context.ts'
import { type HouseholdHandler, requireLovedOne } from '../../household.ts'
import { inboxPath } from '../../inbox/list-query.ts'
import { asPerson } from '../../session.ts'

/** Notes that everything up to the newest message on the page was seen; what came since stays unread. */
export function markAllRead(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const id = visit.field('for')
    const lovedOne = id === '' ? undefined : requireLovedOne(household, id)
    const seenUntil = new Date(visit.field('seen'))
    if (!Number.isNaN(seenUntil.getTime()))
      await ctx.inbox.markAllRead({ lovedOneId: lovedOne?.id ?? '', seenUntil }, asPerson(household.session, visit))
    return { redirectTo: inboxPath(lovedOne), notice: 'all-read' }
  }
}
