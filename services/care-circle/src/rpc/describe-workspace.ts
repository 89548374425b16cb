import {
  type DescribeWorkspaceRequest,
  type DescribeWorkspaceResponse,
  type EnteredWorkspace,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Principal } from '@family-inbox/service-kit/rpc/identity'
import { waitingProposals } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import { toWireMember } from '../models/member.ts'
import { untakenUrgent } from '../timeline/urgent.ts'

/** Other workspaces are for signed-in people only: tool keys and grants see one. An invalid principal is in none. */
export function describeWorkspace(ctx: Context): Handler<DescribeWorkspaceRequest, DescribeWorkspaceResponse> {
  return async ({ principal }, call) => {
    const service = requireService(call, 'auth')
    const person = await ctx.identity.verifyPrincipal(principal, service).catch(() => undefined)
    return { workspace: person?.email === undefined ? undefined : await describe(ctx, person) }
  }
}

async function describe(ctx: Context, { workspaceId, personId }: Principal): Promise<EnteredWorkspace | undefined> {
  const [rows, workspace, lovedOnes, urgent, waiting] = await Promise.all([
    ctx.members
      .find({ $or: [{ workspaceId }, { personId }] }, { assistants: 0, assistantsPaused: 0, guardMarks: 0 })
      .sort({ joinedAt: 1 })
      .lean(),
    ctx.workspaces.findById(workspaceId, { name: 1, passkeysAsked: 1 }).lean(),
    ctx.lovedOnes.find({ workspaceId }, { name: 1 }).sort({ createdAt: 1 }).lean(),
    ctx.careEvents.exists(untakenUrgent(workspaceId, new Date())),
    ctx.invitationProposals.countDocuments({ workspaceId, ...waitingProposals() }),
  ])
  const members = rows.filter((row) => row.workspaceId === workspaceId)
  const own = members.find((row) => row.personId === personId)
  if (own === undefined || workspace === null) return undefined
  return {
    id: workspaceId,
    name: workspace.name,
    role: own.role,
    hasOthers: rows.some((row) => row.workspaceId !== workspaceId),
    members: members.map(toWireMember),
    lovedOnes: lovedOnes.map(({ _id, name }) => ({ id: _id, name })),
    hasUrgent: urgent !== null,
    passkeysAsked: workspace.passkeysAsked ?? false,
    waitingInvitations: own.role === Role.VIEWER ? 0 : waiting,
  }
}
