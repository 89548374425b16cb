import { newId } from '@family-inbox/service-kit/ids'
import { requireWriter } from '../../care-circle/owner-rules.ts'
import type { HouseholdHandler } from '../../household.ts'
import { invitePage } from '../../pages/care-circle/invite.ts'

/** Asks whom to invite. */
export function showInvite(): HouseholdHandler {
  return async (_visit, household) => {
    requireWriter(household)
    const values = { email: '', role: 'coordinator', relationship: '', message: '' }
    return { page: invitePage({ household, values, idempotencyKey: newId('form'), errors: {} }) }
  }
}
