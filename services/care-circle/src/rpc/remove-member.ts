import {
  type RemoveMemberRequest,
  type RemoveMemberResponse,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { endedMembershipId } from '@family-inbox/workspace-kit/removals'
import type { ClientSession } from 'mongoose'
import { forgetMember } from '../appointments/forget-member.ts'
import type { Context } from '../context.ts'
import type { Member } from '../models/member.ts'
import type { Removal } from '../models/removal.ts'
import { requireMember } from '../require-member.ts'
import {
  cancelInvitationsAndCodes,
  changeWorkspace,
  requireAnotherOwner,
  requireMemberOf,
  requireStillOwner,
} from '../workspace/change-workspace.ts'
import { PUBLISH_GRACE_MS, publishRemoval } from '../workspace/remove-workspace.ts'

/** For calls that start after the response. The member's tool keys and grants end too. One owner remains. */
export function removeMember(ctx: Context): Handler<RemoveMemberRequest, RemoveMemberResponse> {
  return async (request, call) => {
    const caller = await requireMember(ctx, call)
    const isLeaving = request.personId === caller.personId
    if (!isLeaving && caller.role !== Role.OWNER)
      throw new StatusError('PERMISSION_DENIED', 'Only the owner can remove other people.')
    const removal = await changeWorkspace(ctx, caller.workspaceId, call.deadline, async (session) => {
      if (!isLeaving) await requireStillOwner(ctx, caller, session)
      const member = await requireMemberOf(ctx, caller.workspaceId, request.personId, session)
      if (member.role === Role.OWNER) await requireAnotherOwner(ctx, member, session)
      await cancelInvitationsAndCodes(ctx, member, session)
      await forgetMember(ctx, member, session)
      await ctx.members.deleteOne({ _id: member._id }, { session })
      return recordEndedMembership(ctx, member, session)
    })
    // Runs without a wait: removing a member must not depend on NATS. The sweeper retries.
    void publishRemoval(ctx, removal).catch((error) => {
      ctx.logger.warn(describeError(error), 'could not announce an ended membership; will retry')
      ctx.wake.removals()
    })
    return {}
  }
}

/** auth revokes the credentials of the membership. */
async function recordEndedMembership(
  ctx: Context,
  { workspaceId, personId, joinedAt }: Member,
  session: ClientSession,
): Promise<Removal> {
  const endedAt = new Date()
  const removal: Removal = {
    _id: endedMembershipId({ workspaceId, personId, since: joinedAt, endedAt }),
    kind: 'membership',
    dueAt: new Date(endedAt.getTime() + PUBLISH_GRACE_MS),
  }
  await ctx.removals.insertOne(removal, { session })
  return removal
}
