import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { messageReply } from '../../inbox/message-reply.ts'

/** Shows a message, which the reader has read from now on. */
export function showMessage(ctx: Context): HouseholdHandler {
  return (visit, household) => messageReply(ctx, visit, household)
}
