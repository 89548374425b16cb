import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { allowRecipient } from '../shell/stopped-recipient.ts'
import type { Visit } from '../shell/visit.ts'
import { inWorkspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { addAttachment, refuseStranger } from './add-attachment.ts'
import { sendAnswer, showAnswer } from './answer-request.ts'
import { addNote, deleteNote, restoreNote, unsavedNote } from './change-notes.ts'
import { changeStatus } from './change-status.ts'
import { deleteReply, restoreReply } from './delete-reply.ts'
import { downloadAttachment, downloadSentFile } from './download-attachment.ts'
import { saveDraft } from './draft.ts'
import { FORWARD, forwardMessage, showForward } from './forward-message.ts'
import { markAllRead, searchInbox, showInbox } from './inbox.ts'
import { watchInbox } from './live.ts'
import { saveMailDraft, WRITE_PATH } from './mail-draft.ts'
import { backToMessage } from './mail-list.ts'
import { changeCategory, markUnread, recordPrint, replyToMessage, showMessage } from './message.ts'
import { moveMessage } from './move-message.ts'
import { showNext } from './next.ts'
import { showOriginalLayout } from './original-layout.ts'
import { showDrawing, showPages } from './preview.ts'
import { putTogether, searchConversations, showPutTogether, takeOut, undoRearrangement } from './put-together.ts'
import { readReplyFiles } from './receive-files.ts'
import { removeReminder, setReminder } from './reminders.ts'
import { moveToSomebodyElse, showSomebodyElse } from './somebody-else.ts'
import { undoReply } from './undo-reply.ts'
import { unsentReply } from './unsent-reply.ts'
import { NEW_MESSAGE, showWrite, undoWrite, writeMessage } from './write-message.ts'

export function inboxRoutes(ctx: Context): Route[] {
  const route = (path: string, get?: WorkspaceHandler, post?: WorkspaceHandler): Route => ({
    path,
    ...(get && { get: inWorkspace(ctx, get) }),
    ...(post && { post: inWorkspace(ctx, post) }),
  })
  const message = '/inbox/:lovedOneId/:messageId'
  const readFiles = readReplyFiles(ctx)
  return [
    route('/', showInbox(ctx)),
    route('/inbox/live', watchInbox(ctx)),
    route('/inbox/next', showNext(ctx)),
    route('/inbox/read', undefined, markAllRead(ctx)),
    route('/inbox/search', undefined, searchInbox(ctx)),
    { ...route(WRITE_PATH, showWrite(ctx), writeMessage(ctx)), hasLongForm: true, readFiles },
    { path: `${WRITE_PATH}/draft`, hasLongForm: true, readFiles, get: toWrite, post: saveMailDraft(ctx, NEW_MESSAGE) },
    {
      path: `${WRITE_PATH}/attachments`,
      readFiles,
      get: toWrite,
      post: inWorkspace(ctx, addAttachment(), { signedOut: refuseStranger, elsewhere: refuseStranger }),
    },
    route(`${WRITE_PATH}/undo`, toInbox, undoWrite(ctx)),
    route('/inbox/:lovedOneId', showInbox(ctx)),
    route(message, showMessage(ctx)),
    {
      path: `${message}/reply`,
      hasLongForm: true,
      readFiles,
      get: toMessage,
      post: inWorkspace(ctx, replyToMessage(ctx), {
        signedOut: async (visit) => unsentReply('signed-out', visit),
        elsewhere: async (visit) => unsentReply('no-family', visit),
      }),
    },
    { path: `${message}/draft`, hasLongForm: true, readFiles, get: toMessage, post: saveDraft(ctx) },
    {
      path: `${message}/attachments`,
      readFiles,
      get: toMessage,
      post: inWorkspace(ctx, addAttachment(), { signedOut: refuseStranger, elsewhere: refuseStranger }),
    },
    route(`${message}/replies/:replyId/:index`, downloadSentFile(ctx)),
    { ...route(`${message}/undo`, undefined, undoReply(ctx)), get: toMessage },
    { ...route(`${message}/forward`, showForward(ctx), forwardMessage(ctx)), hasLongForm: true },
    { path: `${message}/forward/draft`, hasLongForm: true, get: toMessage, post: saveMailDraft(ctx, FORWARD) },
    { ...route(`${message}/replies/delete`, undefined, deleteReply(ctx)), get: toMessage },
    { ...route(`${message}/replies/restore`, undefined, restoreReply(ctx)), get: toMessage },
    route(`${message}/answer`, showAnswer(ctx), sendAnswer(ctx)),
    { ...route(`${message}/allow`, undefined, allowRecipient(ctx, backToReply)), get: toMessage },
    { ...route(`${message}/category`, undefined, changeCategory(ctx)), get: toMessage },
    { ...route(`${message}/move`, undefined, moveMessage(ctx)), get: toMessage },
    route(`${message}/somebody-else`, showSomebodyElse(ctx), moveToSomebodyElse(ctx)),
    route(`${message}/together`, showPutTogether(ctx), putTogether(ctx)),
    { ...route(`${message}/together/search`, undefined, searchConversations(ctx)), get: toMessage },
    { ...route(`${message}/take-out`, undefined, takeOut(ctx)), get: toMessage },
    { ...route(`${message}/rearranged/undo`, undefined, undoRearrangement(ctx)), get: toMessage },
    { ...route(`${message}/unread`, undefined, markUnread(ctx)), get: toMessage },
    { ...route(`${message}/printed`, undefined, recordPrint(ctx)), get: toMessage },
    { ...route(`${message}/status`, undefined, changeStatus(ctx)), get: toMessage },
    {
      path: `${message}/notes`,
      hasLongForm: true,
      get: toMessage,
      post: inWorkspace(ctx, addNote(ctx), { signedOut: unsavedNote, elsewhere: unsavedNote }),
    },
    { ...route(`${message}/notes/delete`, undefined, deleteNote(ctx)), get: toMessage },
    { ...route(`${message}/notes/restore`, undefined, restoreNote(ctx)), get: toMessage },
    { ...route(`${message}/reminders`, undefined, setReminder(ctx)), get: toMessage },
    { ...route(`${message}/reminders/remove`, undefined, removeReminder(ctx)), get: toMessage },
    route(`${message}/original`, showOriginalLayout(ctx)),
    route(`${message}/files/:index`, downloadAttachment(ctx)),
    route(`${message}/files/:index/preview`, showDrawing(ctx)),
    route(`${message}/files/:index/pages`, showPages(ctx)),
    route(`${message}/files/:index/pages/:page`, showDrawing(ctx)),
  ]
}

function backToReply(visit: Visit): string {
  return backToMessage(visit, 'reply')
}

async function toWrite() {
  return { redirectTo: WRITE_PATH }
}

async function toInbox() {
  return { redirectTo: '/' }
}

/** Signing in, or a reload, can lead to the address of a form. */
async function toMessage(visit: Visit) {
  return { redirectTo: backToMessage(visit) }
}
