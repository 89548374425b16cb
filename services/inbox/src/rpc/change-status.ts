import { type ChangeStatusRequest, type ChangeStatusResponse, StatusAction } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { Act, Actor } from '@family-inbox/workspace-kit/status-rule'
import type { Context } from '../context.ts'
import { changeStatus as change } from '../conversations/change-status.ts'
import { endReminders } from '../conversations/end-reminders.ts'
import { findAssignable } from '../conversations/find-assignable.ts'
import { toWireState } from '../finding/find-statuses.ts'
import { messageNotFound, messageRowId, publicIdOf } from '../models/message.ts'
import { notifyHandedOver } from '../notifying/notify-members.ts'

/** Changes who takes care of a message's conversation, or that it is done. Owner and coordinators only. */
export function changeStatus(ctx: Context): Handler<ChangeStatusRequest, ChangeStatusResponse> {
  return async (request, call) => {
    const { messageId, lovedOneId } = request
    const member = await ctx.requireMember(call, { lovedOneId, write: true })
    const { workspaceId } = member
    const act = await readAct(ctx, workspaceId, request)
    const message = await ctx.messages.findById(messageRowId({ workspaceId, lovedOneId }, messageId), ROW_FIELDS).lean()
    if (message === null) throw messageNotFound()
    const { status, isChanged } = await change(ctx, message, act, member)
    if (isChanged && status) {
      // It may have joined another conversation meanwhile.
      if (act.kind === 'finish') await endReminders(ctx, { ...message, conversationId: publicIdOf(status) })
      await notifyHandedOver(ctx, status)
      ctx.liveUpdates.announce(workspaceId, { lovedOneId })
    }
    return { state: status && toWireState(status) }
  }
}

const ROW_FIELDS = { workspaceId: 1, lovedOneId: 1, receivedAt: 1, conversationId: 1 } as const

async function readAct(ctx: Context, workspaceId: string, request: ChangeStatusRequest): Promise<Act> {
  switch (request.action) {
    case StatusAction.TAKE:
      return { kind: 'take' }
    case StatusAction.HAND_OVER:
      return {
        kind: 'hand_over',
        to: await findAssignee(ctx, workspaceId, request.assigneeId),
        seenId: request.seenAssigneeId || undefined,
      }
    case StatusAction.GIVE_BACK:
      return { kind: 'give_back' }
    case StatusAction.DONE:
      return { kind: 'finish', as: 'done' }
    case StatusAction.NOT_NEEDED:
      return { kind: 'finish', as: 'not_needed' }
    case StatusAction.OPEN_AGAIN:
      return { kind: 'open_again' }
    default:
      throw invalidArgument('action', 'action must be a known action.')
  }
}

/** The error is the same for a viewer and for someone of another workspace. */
async function findAssignee(ctx: Context, workspaceId: string, personId: string): Promise<Actor> {
  const found = await findAssignable(ctx, workspaceId, personId)
  if (found !== undefined) return { personId, name: found.name }
  throw invalidArgument('assigneeId', 'assigneeId must be the owner or a coordinator of this workspace.')
}
