import {
  type ExportWorkspaceRequest,
  type ExportWorkspaceResponse,
  type Membership,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { StreamHandler } from '@family-inbox/service-kit/rpc/call'
import { exportJson, exportRows, toPieces, withId, withIds } from '@family-inbox/service-kit/rpc/export-files'
import type { Context } from '../context.ts'
import { BY_TIME } from '../models/care-event.ts'
import { requireMember } from '../require-member.ts'

export function exportWorkspace(ctx: Context): StreamHandler<ExportWorkspaceRequest, ExportWorkspaceResponse> {
  return async function* (_request, call) {
    const member = await requireMember(ctx, call)
    const ours = { workspaceId: member.workspaceId }
    const workspace = await ctx.workspaces.findById(member.workspaceId, { name: 1, plan: 1, createdAt: 1 }).lean()
    const invitations = ctx.invitations.find(ours, invitationFields(member)).lean().cursor()
    const codes = ctx.providerCodes.find(ours, { codeHash: 0, idempotencyKey: 0, redemptionId: 0 }).lean().cursor()
    const proposals = ctx.invitationProposals.find(ours, proposalFields(member)).lean().cursor()
    yield* toPieces(
      exportJson('care-circle/family.json', withId(workspace ?? { _id: member.workspaceId })),
      exportRows('care-circle/loved-ones.json', withIds(ctx.lovedOnes.find(ours).lean().cursor())),
      exportRows('care-circle/members.json', withIds(ctx.members.find(ours).lean().cursor())),
      exportRows('care-circle/invitations.json', withIds(invitations)),
      exportRows('care-circle/invitation-proposals.json', withIds(proposals)),
      exportRows('care-circle/provider-codes.json', withIds(codes)),
      exportRows('timeline/care-events.json', sharedEvents(ctx, member.workspaceId)),
    )
  }
}

/** @throws StatusError UNAVAILABLE while sharing is unknown */
async function* sharedEvents(ctx: Context, workspaceId: string): AsyncGenerator<object> {
  for (const { _id: lovedOneId } of await ctx.lovedOnes
    .find({ workspaceId }, { _id: 1 })
    .sort({ createdAt: 1 })
    .lean()) {
    const { links } = await ctx.pipe.listSharedLinks({ workspaceId, lovedOneId })
    for (const { linkId, institutionName } of links) {
      const events = ctx.careEvents.find({ linkId, workspaceId, lovedOneId }).sort(BY_TIME).lean().cursor()
      for await (const { _id, eventType, occurredAt, receivedAt, details } of events)
        yield { id: _id, lovedOneId, source: institutionName, eventType, occurredAt, receivedAt, ...details }
    }
  }
}

function proposalFields({ role }: Membership) {
  const hidden = { idempotencyKey: 0, requestHash: 0 } as const
  return role === Role.OWNER ? hidden : { ...hidden, message: 0 as const }
}

function invitationFields({ role }: Membership) {
  const shown = { email: 1, role: 1, relationship: 1, invitedBy: 1, state: 1, createdAt: 1, expiresAt: 1 }
  return role === Role.OWNER ? { ...shown, message: 1 } : shown
}
