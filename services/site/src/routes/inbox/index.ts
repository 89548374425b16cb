import type { Context } from '../../context.ts'
import { type HouseholdHandler, inHousehold } from '../../household.ts'
import type { Route } from '../../http/mount-routes.ts'
import { changeCategory } from './change-category.ts'
import { downloadAttachment } from './download-attachment.ts'
import { markAllRead } from './mark-all-read.ts'
import { markUnread } from './mark-unread.ts'
import { replyToMessage } from './reply-to-message.ts'
import { searchInbox } from './search-inbox.ts'
import { showDesigned } from './show-designed.ts'
import { showInbox } from './show-inbox.ts'
import { showMessage } from './show-message.ts'
import { watchInbox } from './watch-inbox.ts'

/** The addresses of the inbox; the first page is everyone's. */
export function inboxRoutes(ctx: Context): Route[] {
  const route = (path: string, get?: HouseholdHandler, post?: HouseholdHandler): Route => ({
    path,
    ...(get && { get: inHousehold(ctx, get) }),
    ...(post && { post: inHousehold(ctx, post) }),
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
    route(`${message}/designed`, showDesigned(ctx)),
    route(`${message}/files/:index`, downloadAttachment(ctx)),
  ]
}
