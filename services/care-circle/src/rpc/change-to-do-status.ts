import {
  type ChangeToDoStatusRequest,
  type ChangeToDoStatusResponse,
  ToDoAction,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { type Act, type Actor, nextState, type State } from '@family-inbox/workspace-kit/status-rule'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { memberId } from '../models/member.ts'
import type { ToDo } from '../models/to-do.ts'
import { requireMember } from '../require-member.ts'
import { findAssignee } from '../to-dos/find-assignee.ts'
import { requireSpace } from '../to-dos/require-space.ts'
import { requireKeptToDo } from '../to-dos/require-to-do.ts'
import { toWireToDo } from '../to-dos/to-wire-to-do.ts'

/** Each try that fails means that somebody else succeeded. */
const TRIES = 10

/** By the rule of a message's status. Owner and coordinators only. */
export function changeToDoStatus(ctx: Context): Handler<ChangeToDoStatusRequest, ChangeToDoStatusResponse> {
  return async (request, call) => {
    const by = await requireMember(ctx, call, { write: true })
    const { workspaceId } = by
    const act = await readAct(ctx, workspaceId, request)
    for (let tries = 0; tries < TRIES; tries += 1) {
      const row = await requireKeptToDo(ctx, workspaceId, request.toDoId)
      const now = await toState(ctx, row)
      const next = nextState(now, act, by)
      if (next === undefined || next === now) return { toDo: toWireToDo(row) }
      if (row.doneAt !== undefined) await requireSpace(ctx, workspaceId)
      const changed = await replaceStatus(ctx, row, next, by)
      if (changed === undefined) continue
      crashPoint('to-do-status-changed')
      return { toDo: toWireToDo(changed) }
    }
    throw new StatusError('UNAVAILABLE', 'Someone else is changing this right now. Try again.')
  }
}

async function readAct(
  ctx: Context,
  workspaceId: string,
  { action, assigneeId, seenAssigneeId }: ChangeToDoStatusRequest,
): Promise<Act> {
  switch (action) {
    case ToDoAction.TAKE:
      return { kind: 'take' }
    case ToDoAction.HAND_OVER:
      return {
        kind: 'hand_over',
        to: await findAssignee(ctx, workspaceId, assigneeId),
        seenId: seenAssigneeId || undefined,
      }
    case ToDoAction.GIVE_BACK:
      return { kind: 'give_back' }
    case ToDoAction.DONE:
      return { kind: 'finish', as: 'done' }
    case ToDoAction.OPEN_AGAIN:
      return { kind: 'open_again' }
    default:
      throw invalidArgument('action', 'action must be a known action.')
  }
}

/** With the names that the rule's errors say. */
async function toState(ctx: Context, { workspaceId, status, assigneeId, changedBy }: ToDo): Promise<State> {
  const ids = [assigneeId, changedBy].flatMap((id) => (id === undefined ? [] : [memberId(workspaceId, id)]))
  const members = await ctx.findMembers(ids)
  const nameOf = (id: string) => members.find(({ personId }) => personId === id)?.name ?? 'A former member'
  return {
    status,
    ...(assigneeId && { assigneeId, assigneeName: nameOf(assigneeId) }),
    ...(changedBy && { changedByName: nameOf(changedBy) }),
  }
}

/** Undefined when somebody else changed it since it was read. */
async function replaceStatus(ctx: Context, row: ToDo, next: State, by: Actor): Promise<ToDo | undefined> {
  const { _id, workspaceId, status, assigneeId = null } = row
  const at = new Date()
  const set = {
    status: next.status as ToDo['status'],
    changedBy: by.personId,
    changedAt: at,
    ...(next.assigneeId && { assigneeId: next.assigneeId }),
    ...(next.status === 'done' && { doneAt: at }),
  }
  const $unset = Object.fromEntries(['assigneeId', 'doneAt'].filter((name) => !(name in set)).map((name) => [name, 1]))
  const changed = await ctx.toDos
    .findOneAndUpdate({ _id, workspaceId, status, assigneeId, removedAt: null }, { $set: set, $unset }, { new: true })
    .lean()
  return changed ?? undefined
}
