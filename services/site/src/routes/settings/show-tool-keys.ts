import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { toolKeysReply } from '../../settings/tool-keys-reply.ts'

/** Shows the reader's keys and the form for another one. */
export function showToolKeys(ctx: Context): HouseholdHandler {
  return (visit, household) => toolKeysReply(ctx, visit, household)
}
