import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import { type HouseholdHandler, requireLovedOne } from '../../household.ts'
import { asPerson } from '../../session.ts'

/** Sends a mail to a loved one's address, so that the guide can say that it arrived. */
export function sendTestMail(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const { id } = requireLovedOne(household, visit.param('lovedOneId'))
    const idempotencyKey = `form:${visit.field('key').slice(0, 100) || randomUUID()}`
    await ctx.inbox.sendTestMail({ lovedOneId: id, idempotencyKey }, asPerson(household.session, visit))
    return { redirectTo: `/forwarding/${id}#arrivals` }
  }
}
