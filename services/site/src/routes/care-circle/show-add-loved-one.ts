import { newId } from '@family-inbox/service-kit/ids'
import { requireWriter } from '../../care-circle/owner-rules.ts'
import type { HouseholdHandler } from '../../household.ts'
import { addLovedOnePage } from '../../pages/care-circle/add-loved-one.ts'

/** Asks who else is cared for. */
export function showAddLovedOne(): HouseholdHandler {
  return async (_visit, household) => {
    requireWriter(household)
    return { page: addLovedOnePage({ household, values: { name: '' }, idempotencyKey: newId('form'), errors: {} }) }
  }
}
