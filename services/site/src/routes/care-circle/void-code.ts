import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { asPerson } from '../../session.ts'

/** Makes an unused code worthless. */
export function voidCode(ctx: Context): HouseholdHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.voidProviderCode({ codeId: visit.param('id').slice(0, 128) }, asPerson(session, visit))
    return { redirectTo: '/care-circle', notice: 'code-voided' }
  }
}
