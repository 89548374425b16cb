import type { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import {
  type CareCircleServiceService,
  type InvitationProposal,
  ProposalState as InvitationState,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type InboxServiceService, ProposalState, type ReplyProposal } from '@family-inbox/proto/inbox/v1/inbox'
import { requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Handlers } from '@family-inbox/service-kit/rpc/serve'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { World } from '../_world.ts'

const HOUR_MS = 3_600_000

/** What assistants wrote, and what the family allows them. */
export type ApprovalsWorld = {
  replies: ReplyProposal[]
  invitations: InvitationProposal[]
  settings: { approvalRequired: boolean; paused: boolean; disclosed: boolean; ownPaused: boolean; guarded: boolean }
}

export function newApprovals(): ApprovalsWorld {
  const settings = { approvalRequired: false, paused: false, disclosed: false, ownPaused: false, guarded: false }
  return { replies: [], invitations: [], settings }
}

export function someApprovals(world: World): void {
  const createdAt = new Date(Date.now() - HOUR_MS)
  const expiresAt = new Date(Date.now() + 6 * 24 * HOUR_MS)
  const by = { personId: 'per_luis', name: 'Luis Martin', assistant: 'Claude Code', createdAt, expiresAt }
  const message = world.inbox.messages[0]?.entry
  world.approvals.replies.push({
    ...by,
    id: 'prop_1',
    state: ProposalState.WAITING,
    messageId: message?.message?.id ?? '',
    lovedOneId: message?.lovedOneId ?? '',
    to: 'desk@clinic.example',
    body: 'Dear Ms. Stone,\n\nTuesday at ten suits us. We bring the list of her pills.\n\nLuis Martin',
    decidedByName: '',
    decidedAt: undefined,
    replyId: '',
    subject: 'Appointment on Tuesday',
  })
  world.approvals.invitations.push({
    ...by,
    id: 'invp_1',
    state: InvitationState.WAITING,
    email: 'marta@example.org',
    role: Role.VIEWER,
    relationship: 'neighbour',
    message: 'You can see when the nurse comes.',
    invitationId: '',
    guarded: true,
  })
}

export function approvalHandlers(world: World): Partial<Handlers<typeof InboxServiceService>> {
  const find = (id: string) => {
    const found = world.approvals.replies.find((one) => one.id === id)
    if (found === undefined) throw new StatusError('NOT_FOUND', 'There is no such reply.', { field: 'proposalId' })
    return found
  }
  const decide = (id: string, state: ProposalState) =>
    Object.assign(find(id), { state, decidedByName: 'Ana Martin', decidedAt: new Date() })
  return {
    async listReplyProposals(_request, call) {
      requirePrincipal(call)
      return { proposals: world.approvals.replies.filter(({ state }) => state === ProposalState.WAITING) }
    },
    async getReplyProposal({ proposalId }) {
      return { proposal: find(proposalId) }
    },
    async approveReplyProposal({ proposalId, body }) {
      if (body?.trim() === '') throw invalidArgument('body', 'body is required.')
      return { proposal: decide(proposalId, ProposalState.SENT) }
    },
    async declineReplyProposal({ proposalId }) {
      decide(proposalId, ProposalState.DECLINED)
      return {}
    },
  }
}

export function assistantHandlers(world: World): Partial<Handlers<typeof CareCircleServiceService>> {
  return {
    async listInvitationProposals(_request, call) {
      requirePrincipal(call)
      return { proposals: world.approvals.invitations }
    },
    async getAssistantSettings(_request, call) {
      requirePrincipal(call)
      return world.approvals.settings
    },
    async setAssistantSettings(request, call) {
      requirePrincipal(call)
      const chosen = Object.entries(request).filter(([, value]) => value !== undefined)
      Object.assign(world.approvals.settings, Object.fromEntries(chosen))
      return {}
    },
  }
}

export function changeHandlers(world: World): Partial<Handlers<typeof AuthServiceService>> {
  return {
    async changeToolKey({ keyId, access, paused }) {
      const found = world.settings.keys.find(({ id }) => id === keyId)
      Object.assign(found ?? {}, { ...(access && { access }), pausedAt: paused ? new Date() : undefined })
      return {}
    },
    async changeGrant({ grantId, access, paused }) {
      const found = world.settings.grants.find(({ id }) => id === grantId)
      Object.assign(found ?? {}, { ...(access && { access }), pausedAt: paused ? new Date() : undefined })
      return {}
    },
  }
}
