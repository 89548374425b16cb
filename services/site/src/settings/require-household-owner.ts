import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Household } from '../household.ts'

/**
 * For pages that only the owner has a use for. care-circle decides what they may do.
 * @throws StatusError PERMISSION_DENIED
 */
export function requireHouseholdOwner({ role }: Household): void {
  if (role !== Role.OWNER) throw new StatusError('PERMISSION_DENIED', 'Only the owner of the household can do this.')
}
