import { lovedOneReply } from '../../care-circle/loved-one-reply.ts'
import type { Context } from '../../context.ts'
import { toFieldErrors } from '../../form-errors.ts'
import type { HouseholdHandler } from '../../household.ts'
import { asPerson } from '../../session.ts'

/** Calls a loved one by another name. */
export function renameLovedOne(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const lovedOneId = visit.param('id').slice(0, 128)
    const name = visit.field('name').slice(0, 1000)
    try {
      await ctx.careCircle.renameLovedOne({ lovedOneId, name }, asPerson(household.session, visit))
      return { redirectTo: `/care-circle/loved-ones/${lovedOneId}`, notice: 'loved-one-renamed' }
    } catch (error) {
      return lovedOneReply(ctx, visit, household, { values: { name }, errors: toFieldErrors(error, WORDS) })
    }
  }
}

const WORDS = { name: 'Type a name of up to 120 characters' }
