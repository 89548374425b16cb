import { type Member, MemberStatus, type Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import type { Household } from '../household.ts'
import type { Visit } from '../http/visit.ts'
import { asPerson } from '../session.ts'

/** Somebody in the care circle. */
export type Person = {
  id: string
  name: string
  email: string
  role: Role
  relationship: string
  joinedAt: Date | undefined
  /** Whether it is the reader. */
  isReader: boolean
}

/** Somebody who was invited and has not answered. */
export type Invited = { id: string; email: string; role: Role; relationship: string; expiresAt: Date | undefined }

export type Circle = { people: Person[]; invited: Invited[] }

/** Who is in the household, and who is invited. */
export async function readCircle(ctx: Context, visit: Visit, { session }: Household): Promise<Circle> {
  const { members } = await ctx.careCircle.listMembers({}, asPerson(session, visit))
  return {
    people: members.filter(isActive).map((member) => toPerson(member, session.personId)),
    invited: members.filter((member) => !isActive(member)).map(toInvited),
  }
}

/**
 * The person an address of ours names.
 * @throws StatusError NOT_FOUND, alike for one of another family and one who does not exist
 */
export function requirePerson({ people }: Circle, id: string): Person {
  const person = people.find((one) => one.id === id)
  if (person !== undefined) return person
  throw new StatusError('NOT_FOUND', 'Nobody in your care circle is at this address.')
}

/**
 * The open invitation an address of ours names.
 * @throws StatusError NOT_FOUND, alike for another family's, one that was answered, and one that never was
 */
export function requireInvited({ invited }: Circle, id: string): Invited {
  const invitation = invited.find((one) => one.id === id)
  if (invitation !== undefined) return invitation
  throw new StatusError('NOT_FOUND', 'There is no open invitation at this address. It may have been answered.')
}

function isActive({ status }: Member): boolean {
  return status === MemberStatus.ACTIVE
}

function toPerson({ personId: id, name, email, role, relationship, joinedAt }: Member, readerId: string): Person {
  return { id, name, email, role, relationship, joinedAt, isReader: id === readerId }
}

function toInvited({ invitationId: id, email, role, relationship, expiresAt }: Member): Invited {
  return { id, email, role, relationship, expiresAt }
}
