import { readCircle, requirePerson } from '../../care-circle/read-circle.ts'
import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { personPage } from '../../pages/care-circle/person.ts'

/** Shows one person of the care circle. */
export function showPerson(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const circle = await readCircle(ctx, visit, household)
    const person = requirePerson(circle, visit.param('id'))
    const chosenRole = visit.kept('role') || undefined
    return { page: personPage({ household, clock: visit.clock, person, people: circle.people, chosenRole }) }
  }
}
