import type { Context } from '../context.ts'
import { messageIdsOf } from '../shell/inbox-paths.ts'
import { asPerson } from '../shell/session.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'

/** The browser of a reader says that it prints a message. A message that is not there leaves no entry. */
export function recordPrint(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const message = messageIdsOf(visit)
    const { subjects } = await ctx.inbox.listSubjects({ messages: [message] }, asPerson(session, visit))
    if (subjects.length > 0)
      await ctx.recordAct(session, {
        act: 'print_message',
        message,
        hourly: `${message.lovedOneId}/${message.messageId}`,
      })
    return { status: 204, headers: {}, body: '' }
  }
}
