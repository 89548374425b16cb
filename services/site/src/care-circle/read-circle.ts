import { type Member, MemberStatus, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'

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
export async function readCircle(ctx: Context, visit: Visit, { session }: Workspace): Promise<Circle> {
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

/** Whether somebody is the only owner: a care circle keeps one, so they can neither go nor get another role. */
export function isOnlyOwner(person: Person, people: Person[]): boolean {
  return person.role === Role.OWNER && !people.some(({ id, role }) => role === Role.OWNER && id !== person.id)
}

/**
 * For pages with a form that viewers cannot send. The service refuses the form itself, too.
 * @throws StatusError PERMISSION_DENIED
 */
export function requireWriter({ canWrite }: Workspace): void {
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
export function requireOwner({ role }: Workspace): void {
  if (role === Role.OWNER) return
  throw new StatusError('PERMISSION_DENIED', 'Only the owner can do this. Ask them.')
}

/** A loved one with the address that takes their mail, when they have one. */
export type AddressedLovedOne = LovedOne & { address?: string }

/** The household's loved ones with their addresses. */
export async function readLovedOnes(ctx: Context, visit: Visit, workspace: Workspace): Promise<AddressedLovedOne[]> {
  const { addresses } = await ctx.inbox.listInboxAddresses({}, asPerson(workspace.session, visit))
  const addressOf = new Map(addresses.map(({ lovedOneId, address }) => [lovedOneId, address]))
  return workspace.lovedOnes.map((one) => ({ ...one, address: addressOf.get(one.id) }))
}

/** A code for an agency that nobody has used yet. The code itself was shown once. */
export type Code = { id: string; lovedOne: LovedOne; ending: string; expiresAt: Date | undefined }

/** The household's codes that can still be used, newest first. */
export async function readCodes(ctx: Context, visit: Visit, { session, lovedOnes }: Workspace): Promise<Code[]> {
  const { codes } = await ctx.careCircle.listProviderCodes({ lovedOneId: '' }, asPerson(session, visit))
  return codes.flatMap(({ id, lovedOneId, ending, expiresAt }) => {
    const lovedOne = lovedOnes.find((one) => one.id === lovedOneId)
    return lovedOne ? [{ id, lovedOne, ending, expiresAt }] : []
  })
}

/**
 * The code an address of ours names.
 * @throws StatusError NOT_FOUND, alike for another family's, one that was used, and one that never was
 */
export function requireCode(codes: Code[], id: string): Code {
  const code = codes.find((one) => one.id === id)
  if (code !== undefined) return code
  throw new StatusError(
    'NOT_FOUND',
    'There is no unused code at this address. It may have been used, or its time was up.',
  )
}
