import { newId } from '@family-inbox/service-kit/ids'
import { requireWriter } from '../../care-circle/owner-rules.ts'
import type { HouseholdHandler } from '../../household.ts'
import { makeCodePage } from '../../pages/care-circle/make-code.ts'

/** Says what a code is for, and asks for whom to make one. */
export function showMakeCode(): HouseholdHandler {
  return async (visit, household) => {
    requireWriter(household)
    if (household.lovedOnes.length === 0) return { redirectTo: '/care-circle/loved-ones/new' }
    return {
      page: makeCodePage({
        household,
        values: { lovedOne: visit.query('for') },
        idempotencyKey: newId('form'),
        errors: {},
      }),
    }
  }
}
