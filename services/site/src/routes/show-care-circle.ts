import { careCircleReply } from '../care-circle-reply.ts'
import type { Context } from '../context.ts'
import type { HouseholdHandler } from '../household.ts'

/** Shows who is cared for, and who helps. */
export function showCareCircle(ctx: Context): HouseholdHandler {
  return (visit, household) => careCircleReply(ctx, visit, household)
}
