import type { Context } from '../context.ts'
import { toFieldErrors } from '../form-errors.ts'
import { homeReply } from '../home-reply.ts'
import { asPerson, type SignedInHandler } from '../session.ts'

/** Adds a loved one to the household and gives them their address. */
export function addLovedOne(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const name = visit.field('name').slice(0, 1000)
    const person = asPerson(session, visit)
    try {
      const { lovedOne } = await ctx.careCircle.addLovedOne({ name }, person)
      await ctx.inbox.allocateInboxAddress({ lovedOneId: lovedOne?.id ?? '' }, person)
      return { redirectTo: '/' }
    } catch (error) {
      return homeReply(ctx, visit, session, { values: { name }, errors: toFieldErrors(error, WORDS) })
    }
  }
}

const WORDS = { name: 'Type the name of the person you care for, up to 120 characters' }
