import { newId } from '@family-inbox/service-kit/ids'
import type { Context } from '../../context.ts'
import { type HouseholdHandler, requireLovedOne } from '../../household.ts'
import { codePage } from '../../pages/care-circle/code.ts'
import { makeCodePage } from '../../pages/care-circle/make-code.ts'
import { asPerson } from '../../session.ts'

/** Mints a code for one loved one and shows it: in this answer, and nowhere else. The same form sent twice makes one code. */
export function makeCode(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const lovedOneId = visit.field('lovedOne').slice(0, 128)
    if (lovedOneId === '') {
      const errors = { lovedOne: 'Choose for whom the code is' }
      return {
        page: makeCodePage({ household, values: { lovedOne: '' }, idempotencyKey: newId('form'), errors }),
        status: 422,
      }
    }
    const idempotencyKey = visit.field('idempotency_key').slice(0, 200) || newId('form')
    const minted = await ctx.careCircle.createProviderCode(
      { lovedOneId, idempotencyKey },
      asPerson(household.session, visit),
    )
    const lovedOne = requireLovedOne(household, lovedOneId)
    return { page: codePage({ household, clock: visit.clock, lovedOne, ...minted }) }
  }
}
