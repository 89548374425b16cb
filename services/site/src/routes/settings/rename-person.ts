import type { Context } from '../../context.ts'
import { toFieldErrors } from '../../form-errors.ts'
import type { HouseholdHandler } from '../../household.ts'
import { profilePage } from '../../pages/settings/profile.ts'
import { asPerson } from '../../session.ts'

/**
 * Changes the reader's name, first where forms suggest it from, then in their households. Should care-circle be away in
 * between, the error says so, and saving once more does the rest.
 */
export function renamePerson(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const name = visit.field('name').slice(0, 1000)
    const person = asPerson(household.session, visit)
    try {
      await ctx.auth.updateProfile({ name }, person)
      await ctx.careCircle.renameMember({ name }, person)
      return { redirectTo: '/settings/profile', notice: 'name-saved' }
    } catch (error) {
      return { status: 422, page: profilePage({ household, values: { name }, errors: toFieldErrors(error, WORDS) }) }
    }
  }
}

const WORDS = { name: 'Type your name, up to 120 characters' }
