import {
  type CareCircleServiceService,
  type EnteredWorkspace,
  type Member,
  MemberStatus,
  type ProviderCode,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Call, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Handlers } from '@family-inbox/service-kit/rpc/serve'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { World } from '../_world.ts'

const DAY_MS = 86_400_000

/** A member of the reader's family. */
export function member(name: string, role: Role, words: Partial<Member> = {}): Member {
  return {
    personId: `per_${name.split(' ')[0]?.toLowerCase()}`,
    name,
    email: `${name.split(' ')[0]?.toLowerCase()}@example.org`,
    role,
    relationship: '',
    status: MemberStatus.ACTIVE,
    invitationId: '',
    joinedAt: new Date('2026-03-02T09:00:00Z'),
    expiresAt: undefined,
    ...words,
  }
}

/** A pending invitation. */
export function invited(email: string, role: Role): Member {
  return member(email, role, {
    personId: '',
    name: '',
    email,
    relationship: 'neighbour',
    status: MemberStatus.INVITED,
    invitationId: `inv_${email.split('@')[0]}`,
    joinedAt: undefined,
    expiresAt: new Date(Date.now() + 12 * DAY_MS),
  })
}

/** An unused provider code. */
export function unusedCode(lovedOneId: string, ending: string): ProviderCode {
  const createdAt = new Date()
  const expiresAt = new Date(Date.now() + 6 * DAY_MS)
  return { id: `pc_${ending.toLowerCase()}`, lovedOneId, ending, createdBy: 'per_ana', createdAt, expiresAt }
}

function membersOf({ person, workspaces, workspaceId, members }: World): Member[] {
  const { id: personId, name, email } = person
  const role = workspaces.find(({ id }) => id === workspaceId)?.role ?? Role.OWNER
  return [member(name, role, { personId, email, relationship: 'daughter' }), ...members]
}

export function enteredWorkspace(world: World): EnteredWorkspace | undefined {
  const { workspaces, workspaceId, lovedOnes } = world
  const workspace = workspaces.find(({ id }) => id === workspaceId)
  const members = membersOf(world).filter(({ status }) => status === MemberStatus.ACTIVE)
  const waitingInvitations = workspace?.role === Role.VIEWER ? 0 : world.approvals.invitations.length
  return workspace && { ...workspace, hasOthers: workspaces.length > 1, members, lovedOnes, waitingInvitations }
}

export function circleHandlers(world: World): Partial<Handlers<typeof CareCircleServiceService>> {
  const requireWriter = (call: Call) => {
    requirePrincipal(call)
    if (world.workspaces.find(({ id }) => id === world.workspaceId)?.role === Role.VIEWER)
      throw new StatusError('PERMISSION_DENIED', 'Viewers can read, but not change anything.')
  }
  const invitationNotFound = () => new StatusError('NOT_FOUND', 'There is no open invitation.')
  return {
    async listLovedOnes(_request, call) {
      requirePrincipal(call)
      return { lovedOnes: world.lovedOnes }
    },
    async listMembers(_request, call) {
      requirePrincipal(call)
      return { members: membersOf(world) }
    },
    async inviteMember({ email }, call) {
      requireWriter(call)
      if (!email.includes('@')) throw invalidArgument('email', 'email must be an email address.')
      world.members.push(invited(email, Role.VIEWER))
      return { invitationId: 'inv_new', token: 'k7m2q9x4v0c3n8p1', expiresAt: new Date(Date.now() + 14 * DAY_MS) }
    },
    async resendInvitation({ invitationId }, call) {
      requireWriter(call)
      if (!world.members.some((one) => one.invitationId === invitationId)) throw invitationNotFound()
      return { token: 'z9x8c7v6b5n4m3q2', expiresAt: new Date(Date.now() + 14 * DAY_MS) }
    },
    async cancelInvitation({ invitationId }, call) {
      requireWriter(call)
      if (!world.members.some((one) => one.invitationId === invitationId)) throw invitationNotFound()
      world.members = world.members.filter((one) => one.invitationId !== invitationId)
      return {}
    },
    async changeRole({ personId, role }, call) {
      requireWriter(call)
      const found = world.members.find((one) => one.personId === personId)
      if (found) found.role = role
      return {}
    },
    async removeMember({ personId }, call) {
      requirePrincipal(call)
      world.members = world.members.filter((one) => one.personId !== personId)
      if (personId === world.person.id) world.workspaces = world.workspaces.filter(({ id }) => id !== world.workspaceId)
      return {}
    },
    async renameLovedOne({ lovedOneId, name }, call) {
      requireWriter(call)
      if (name.trim() === '') throw invalidArgument('name', 'name is required.')
      const lovedOne = world.lovedOnes.find(({ id }) => id === lovedOneId)
      if (!lovedOne) throw new StatusError('NOT_FOUND', 'There is no such loved one in your family.')
      lovedOne.name = name
      return { lovedOne: { id: lovedOneId, name } }
    },
    async createProviderCode({ lovedOneId }, call) {
      requireWriter(call)
      world.codes.unshift(unusedCode(lovedOneId, '7K'))
      return { code: 'Q4TM9X7K', expiresAt: new Date(Date.now() + 7 * DAY_MS), codeId: 'pc_7k' }
    },
    async listProviderCodes(_request, call) {
      requirePrincipal(call)
      return { codes: world.codes }
    },
    async cancelProviderCode({ codeId }, call) {
      requireWriter(call)
      world.codes = world.codes.filter(({ id }) => id !== codeId)
      return {}
    },
  }
}
