import { StatusAction } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { FlashName } from '../shell/flash.ts'
import { messageIdsOf } from '../shell/inbox-paths.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import { undefinedIfMissing, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { backToMessage } from './mail-list.ts'
import { messageMissing } from './read-message.ts'
import { ACTIONS } from './status-bar.ts'

const FLASH: Partial<Record<StatusAction, FlashName>> = {
  [StatusAction.TAKE]: 'message-taken',
  [StatusAction.HAND_OVER]: 'message-handed-over',
  [StatusAction.GIVE_BACK]: 'message-given-back',
  [StatusAction.DONE]: 'message-done',
  [StatusAction.NOT_NEEDED]: 'message-not-needed',
  [StatusAction.OPEN_AGAIN]: 'message-open-again',
}

/** Takes, hands over or finishes a message. When somebody else was faster, the message shows who. */
export function changeStatus(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const ids = messageIdsOf(visit)
    const name = visit.field('act')
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name as keyof typeof ACTIONS] : StatusAction.UNSPECIFIED
    const assignee = {
      assigneeId: visit.field('assignee').slice(0, 128),
      seenAssigneeId: visit.field('seen').slice(0, 128),
    }
    const redirectTo = backToMessage(visit, 'status')
    try {
      const request = { ...ids, action, ...assignee }
      const changed = await ctx.inbox
        .changeStatus(request, asPerson(workspace.session, visit))
        .catch(undefinedIfMissing)
      return changed === undefined ? messageMissing(workspace) : { redirectTo, flash: FLASH[action] }
    } catch (error) {
      if (!(error instanceof StatusError) || error.status !== 'FAILED_PRECONDITION') throw error
      return { redirectTo, flash: 'someone-was-faster' }
    }
  }
}

/**
 * Changes the status with something that is done already, and stays done if this fails.
 * @returns whether it was changed
 */
export async function tryChangeStatus(
  ctx: Context,
  visit: Visit,
  { session }: Pick<Workspace, 'session'>,
  action: StatusAction,
): Promise<boolean> {
  const request = { ...messageIdsOf(visit), action, assigneeId: '', seenAssigneeId: '' }
  const changed = await ctx.inbox.changeStatus(request, asPerson(session, visit)).catch(() => undefined)
  return changed !== undefined
}
