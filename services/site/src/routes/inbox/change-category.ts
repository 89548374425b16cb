import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { categoryOf } from '../../inbox/category-words.ts'
import { messageMissing } from '../../inbox/message-reply.ts'
import { undefinedIfMissing } from '../../inbox/read-message.ts'
import { asPerson } from '../../session.ts'

/** Files a message under another kind, for everybody. */
export function changeCategory(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const lovedOneId = visit.param('lovedOneId').slice(0, 128)
    const messageId = visit.param('messageId').slice(0, 128)
    const request = { lovedOneId, messageId, category: categoryOf(visit.field('category')) }
    const changed = await ctx.inbox
      .changeCategory(request, asPerson(household.session, visit))
      .catch(undefinedIfMissing)
    if (changed === undefined) return messageMissing(household)
    return { redirectTo: `/inbox/${lovedOneId}/${messageId}`, notice: 'category-changed' }
  }
}
