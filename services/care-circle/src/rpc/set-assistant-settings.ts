import {
  type Membership,
  Role,
  type SetAssistantSettingsRequest,
  type SetAssistantSettingsResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import { memberId } from '../models/member.ts'
import { requireMember } from '../require-member.ts'
import { changeWorkspace, requireStillOwner } from '../workspace/change-workspace.ts'

/** Giving assistants more access needs a fresh sign-in. The membership check of every call reads the member's row, so a change counts for all calls that start after it. */
export function setAssistantSettings(ctx: Context): Handler<SetAssistantSettingsRequest, SetAssistantSettingsResponse> {
  return async ({ ownPaused, ...family }, call) => {
    const caller = await requireMember(ctx, call)
    requirePerson(call)
    if ([ownPaused, family.paused, family.approvalRequired, family.guarded].includes(false)) requireRecentSignIn(call)
    const { workspaceId, personId, role } = caller
    const chosen = Object.entries(family).filter(([, value]) => value !== undefined)
    if (chosen.length > 0 && role !== Role.OWNER)
      throw new StatusError('PERMISSION_DENIED', 'Only the owner can do this.')
    if (ownPaused !== undefined)
      await ctx.members.updateOne({ _id: memberId(workspaceId, personId) }, { $set: { assistantsPaused: ownPaused } })
    if (chosen.length === 0) return {}
    const $set = Object.fromEntries(chosen.map(([name, value]) => [`assistants.${name}`, value]))
    await changeWorkspace(ctx, workspaceId, call.deadline, (session) => setForAll(ctx, caller, $set, session))
    return {}
  }
}

/** In one transaction, so it changes for everybody at the same moment. */
async function setForAll(
  ctx: Context,
  caller: Membership,
  $set: Record<string, unknown>,
  session: ClientSession,
): Promise<void> {
  const { workspaceId } = caller
  await requireStillOwner(ctx, caller, session)
  await ctx.workspaces.updateOne({ _id: workspaceId }, { $set }, { session })
  await ctx.members.updateMany({ workspaceId }, { $set }, { session })
}
