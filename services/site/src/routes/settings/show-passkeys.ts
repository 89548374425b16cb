import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { passkeysReply } from '../../settings/passkeys-reply.ts'

/** Shows the reader's passkeys and the form for another one. */
export function showPasskeys(ctx: Context): HouseholdHandler {
  return (visit, household) => passkeysReply(ctx, visit, household)
}
