import { careCircleReply } from '../care-circle-reply.ts'
import type { Context } from '../context.ts'
import { toFieldErrors } from '../form-errors.ts'
import type { HouseholdHandler } from '../household.ts'
import { asPerson } from '../session.ts'

/** Adds a loved one to the household and gives them their address. */
export function addLovedOne(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const name = visit.field('name').slice(0, 1000)
    const person = asPerson(household.session, visit)
    try {
      const { lovedOne } = await ctx.careCircle.addLovedOne({ name }, person)
      await ctx.inbox.allocateInboxAddress({ lovedOneId: lovedOne?.id ?? '' }, person)
      return { redirectTo: '/care-circle', notice: 'loved-one-added' }
    } catch (error) {
      return careCircleReply(ctx, visit, household, { values: { name }, errors: toFieldErrors(error, WORDS) })
    }
  }
}

const WORDS = { name: 'Type the name of the person you care for, up to 120 characters' }
