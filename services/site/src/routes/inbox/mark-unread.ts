import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { messageMissing } from '../../inbox/message-reply.ts'
import { undefinedIfMissing } from '../../inbox/read-message.ts'
import { asPerson } from '../../session.ts'

/** Has a message count as unread for the reader, and goes back to where it then stands out. */
export function markUnread(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const lovedOneId = visit.param('lovedOneId').slice(0, 128)
    const request = { lovedOneId, messageId: visit.param('messageId').slice(0, 128), read: false }
    const marked = await ctx.inbox.markMessage(request, asPerson(household.session, visit)).catch(undefinedIfMissing)
    if (marked === undefined) return messageMissing(household)
    return { redirectTo: household.lovedOnes.length > 1 ? `/inbox/${lovedOneId}` : '/', notice: 'marked-unread' }
  }
}
