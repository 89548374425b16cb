import { readAgencies } from '../../care-circle/read-agencies.ts'
import { readCircle } from '../../care-circle/read-circle.ts'
import { readCodes } from '../../care-circle/read-codes.ts'
import { readLovedOnes } from '../../care-circle/read-loved-ones.ts'
import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { careCirclePage } from '../../pages/care-circle/circle.ts'

/** Shows who is in the care circle, who is cared for, and which agencies are linked. */
export function showCircle(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const [circle, lovedOnes, codes, agencies] = await Promise.all([
      readCircle(ctx, visit, household),
      readLovedOnes(ctx, visit, household),
      readCodes(ctx, visit, household),
      readAgencies(ctx, visit, household),
    ])
    const page = careCirclePage({ household, clock: visit.clock, circle, lovedOnes, codes, agencies })
    return { page }
  }
}
