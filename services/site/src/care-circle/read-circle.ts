import { type Member, MemberStatus, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'

export type Person = {
  id: string
  name: string
  email: string
  role: Role
  relationship: string
  joinedAt: Date | undefined
  isReader: boolean
}

export type Invited = { id: string; email: string; role: Role; relationship: string; expiresAt: Date | undefined }

export function peopleOf({ members, session }: Workspace): Person[] {
  return members.map((member) => toPerson(member, session.personId))
}

export async function readInvited(ctx: Context, visit: Visit, { session }: Workspace): Promise<Invited[]> {
  const { members } = await ctx.careCircle.listMembers({}, asPerson(session, visit))
  return members.filter(({ status }) => status === MemberStatus.INVITED).map(toInvited)
}

/** @throws StatusError NOT_FOUND, the same for another workspace's member as for an unknown id */
export function requirePerson(workspace: Workspace, id: string): Person {
  const person = peopleOf(workspace).find((one) => one.id === id)
  if (person !== undefined) return person
  throw new StatusError('NOT_FOUND', 'This person is not in your care circle.')
}

/** @throws StatusError NOT_FOUND, the same for another workspace's, an answered, and an unknown invitation */
export function requireInvited(invited: Invited[], id: string): Invited {
  const invitation = invited.find((one) => one.id === id)
  if (invitation !== undefined) return invitation
  throw new StatusError('NOT_FOUND', 'This invitation is not pending. It may have been answered.')
}

function toPerson({ personId: id, name, email, role, relationship, joinedAt }: Member, readerId: string): Person {
  return { id, name, email, role, relationship, joinedAt, isReader: id === readerId }
}

function toInvited({ invitationId: id, email, role, relationship, expiresAt }: Member): Invited {
  return { id, email, role, relationship, expiresAt }
}

/** The only owner can neither leave nor change role. */
export function isOnlyOwner(person: Person, people: Person[]): boolean {
  return person.role === Role.OWNER && !people.some(({ id, role }) => role === Role.OWNER && id !== person.id)
}

export type AddressedLovedOne = LovedOne & { address?: string }

export async function readLovedOnes(ctx: Context, visit: Visit, workspace: Workspace): Promise<AddressedLovedOne[]> {
  const { addresses } = await ctx.inbox.listInboxAddresses({}, asPerson(workspace.session, visit))
  const addressOf = new Map(addresses.map(({ lovedOneId, address }) => [lovedOneId, address]))
  return workspace.lovedOnes.map((lovedOne) => ({ ...lovedOne, address: addressOf.get(lovedOne.id) }))
}

/** An unused provider code. The code itself was shown only once. */
export type Code = { id: string; lovedOne: LovedOne; ending: string; expiresAt: Date | undefined }

export async function readCodes(ctx: Context, visit: Visit, { session, lovedOnes }: Workspace): Promise<Code[]> {
  const { codes } = await ctx.careCircle.listProviderCodes({ lovedOneId: '' }, asPerson(session, visit))
  return codes.flatMap(({ id, lovedOneId, ending, expiresAt }) => {
    const lovedOne = lovedOnes.find((one) => one.id === lovedOneId)
    return lovedOne ? [{ id, lovedOne, ending, expiresAt }] : []
  })
}

/** @throws StatusError NOT_FOUND, the same for another workspace's, a used, and an unknown code */
export function requireCode(codes: Code[], id: string): Code {
  const code = codes.find((one) => one.id === id)
  if (code !== undefined) return code
  throw new StatusError('NOT_FOUND', 'This code is not available. It may have been used, canceled, or expired.')
}
