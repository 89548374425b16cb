import type { Context } from './context.ts'
import { addReplyAttachment } from './rpc/add-reply-attachment.ts'
import { deleteReply } from './rpc/delete-reply.ts'
import { downloadReplyAttachment } from './rpc/download-reply-attachment.ts'
import { forwardMessage } from './rpc/forward-message.ts'
import { listCorrespondents } from './rpc/list-correspondents.ts'
import { listMailDrafts } from './rpc/list-mail-drafts.ts'
import { removeCorrespondent } from './rpc/remove-correspondent.ts'
import { removeReplyAttachment } from './rpc/remove-reply-attachment.ts'
import { replyToMessage } from './rpc/reply-to-message.ts'
import { restoreReply } from './rpc/restore-reply.ts'
import { saveDraft } from './rpc/save-draft.ts'
import { saveMailDraft } from './rpc/save-mail-draft.ts'
import { undoReply } from './rpc/undo-reply.ts'
import { writeMessage } from './rpc/write-message.ts'

/** The RPCs with which a member writes: mail, drafts, and files. */
export function writingHandlers(ctx: Context) {
  return {
    replyToMessage: replyToMessage(ctx),
    forwardMessage: forwardMessage(ctx),
    writeMessage: writeMessage(ctx),
    undoReply: undoReply(ctx),
    deleteReply: deleteReply(ctx),
    restoreReply: restoreReply(ctx),
    listCorrespondents: listCorrespondents(ctx),
    removeCorrespondent: removeCorrespondent(ctx),
    saveDraft: saveDraft(ctx),
    saveMailDraft: saveMailDraft(ctx),
    listMailDrafts: listMailDrafts(ctx),
    addReplyAttachment: addReplyAttachment(ctx),
    removeReplyAttachment: removeReplyAttachment(ctx),
    downloadReplyAttachment: downloadReplyAttachment(ctx),
  }
}
