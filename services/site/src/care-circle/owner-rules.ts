import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Household } from '../household.ts'
import type { Person } from './read-circle.ts'

/** Whether somebody is the only owner: a care circle keeps one, so they can neither go nor get another role. */
export function isOnlyOwner(person: Person, people: Person[]): boolean {
  return person.role === Role.OWNER && !people.some(({ id, role }) => role === Role.OWNER && id !== person.id)
}

/**
 * For pages with a form that viewers cannot send. The service refuses the form itself, too.
 * @throws StatusError PERMISSION_DENIED
 */
export function requireWriter({ canWrite }: Household): void {
  if (canWrite) return
  throw new StatusError(
    'PERMISSION_DENIED',
    'Viewers can read, but not change anything. Ask the owner or a coordinator.',
  )
}

/**
 * For pages with a form that only owners can send.
 * @throws StatusError PERMISSION_DENIED
 */
export function requireOwner({ role }: Household): void {
  if (role === Role.OWNER) return
  throw new StatusError('PERMISSION_DENIED', 'Only the owner can do this. Ask them.')
}
