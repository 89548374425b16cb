import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { inWorkspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { downloadAttachment } from './download-attachment.ts'
import { markAllRead, searchInbox, showInbox } from './inbox.ts'
import { watchInbox } from './live.ts'
import { changeCategory, markUnread, replyToMessage, showMessage } from './message.ts'
import { showOriginalLayout } from './original-layout.ts'

export function inboxRoutes(ctx: Context): Route[] {
  const route = (path: string, get?: WorkspaceHandler, post?: WorkspaceHandler): Route => ({
    path,
    ...(get && { get: inWorkspace(ctx, get) }),
    ...(post && { post: inWorkspace(ctx, post) }),
  })
  const message = '/inbox/:lovedOneId/:messageId'
  return [
    route('/', showInbox(ctx)),
    route('/inbox/live', watchInbox(ctx)),
    route('/inbox/read', undefined, markAllRead(ctx)),
    route('/inbox/search', undefined, searchInbox(ctx)),
    route('/inbox/:lovedOneId', showInbox(ctx)),
    route(message, showMessage(ctx)),
    route(`${message}/reply`, undefined, replyToMessage(ctx)),
    route(`${message}/category`, undefined, changeCategory(ctx)),
    route(`${message}/unread`, undefined, markUnread(ctx)),
    route(`${message}/original`, showOriginalLayout(ctx)),
    route(`${message}/files/:index`, downloadAttachment(ctx)),
  ]
}
