import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import { readForwarding } from '../../forwarding/read-forwarding.ts'
import { type HouseholdHandler, requireLovedOne } from '../../household.ts'
import { guidePage } from '../../pages/forwarding/guide.ts'

/** Shows how to have a loved one's mail forwarded, and what has arrived so far. */
export function showGuide(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const lovedOne = requireLovedOne(household, visit.param('lovedOneId'))
    const forwarding = await readForwarding(ctx, visit, household, lovedOne)
    return { page: guidePage({ forwarding, clock: visit.clock, testKey: randomUUID() }) }
  }
}
