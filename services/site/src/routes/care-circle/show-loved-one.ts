import { lovedOneReply } from '../../care-circle/loved-one-reply.ts'
import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'

/** Shows one person who is cared for. */
export function showLovedOne(ctx: Context): HouseholdHandler {
  return (visit, household) => lovedOneReply(ctx, visit, household)
}
