import type { Context } from '../../context.ts'
import { type HouseholdHandler, requireLovedOne } from '../../household.ts'
import { listHref, readListQuery } from '../../inbox/list-query.ts'

/** Takes the words somebody searches for, and leads to the list of what they find, at an address that does not tell them. */
export function searchInbox(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const id = visit.field('for')
    const asked = { query: visit.field, clock: visit.clock }
    const query = readListQuery(asked, id === '' ? undefined : requireLovedOne(household, id))
    const words = visit.field('words').trim().slice(0, 200)
    const { personId } = household.session
    const sealedWords = words === '' ? '' : ctx.wordSeal.seal(words, personId, visit.clock.now)
    return { redirectTo: listHref({ ...query, sealedWords, cursor: '' }) }
  }
}
