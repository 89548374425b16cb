import type { Context } from '../context.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { fileReply, readIndex } from './download-attachment.ts'

/** Streams a file that went with a reply. */
export function downloadSentFile(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = { replyId: visit.id('replyId'), index: readIndex(visit.param('index')) }
    const options = { token: workspace.session.principal, signal: visit.signal }
    return fileReply(workspace, ctx.inbox.downloadReplyAttachment(request, options))
  }
}
