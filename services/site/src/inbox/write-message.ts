import { randomUUID } from 'node:crypto'
import type { MailDraft } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, selectField, textArea, textField } from '../shell/fields.ts'
import type { FlashName } from '../shell/flash.ts'
import { type Html, html } from '../shell/html.ts'
import { inboxPath } from '../shell/inbox-paths.ts'
import { sectionPage } from '../shell/page.ts'
import { emptyState, withQuery } from '../shell/parts.ts'
import { explainRefusal } from '../shell/refusal.ts'
import { asPerson } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { requireLovedOne, requireWriter, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { copyField, explainCopies, readCc, toCopies } from './copy-field.ts'
import { composerAttributes, draftButtons, readMailDrafts, WRITE_PATH } from './mail-draft.ts'
import { readReplyForm, toServiceKey } from './reply.ts'
import { attachmentField } from './reply-attachments.ts'
import { isFromAnother } from './unsent-reply.ts'

const MAX_BODY = 20_000
const INVALID_TO = 'Choose an address from your address book'
const OTHERS = {
  subject: 'Enter a subject of up to 200 characters',
  body: 'Enter your message, up to 20,000 characters',
}
const FROM_ANOTHER = { body: 'Someone else is signed in now. Check who you are, then press Send again.' }
const ALREADY_SENT = { body: 'You already sent a message from this form. To send this one too, press Send again.' }

type Form = Written & { files: string[]; key: string }
type Written = { lovedOneId: string; to: string; cc: string; subject: string; body: string }

const EMPTY: Written = { lovedOneId: '', to: '', cc: '', subject: '', body: '' }

/** A new message to somebody in the family's address book, as far as the reader has written it. */
export function showWrite(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    const lovedOneId = visit.query('for').slice(0, 64)
    return writeReply(ctx, visit, workspace, { ...EMPTY, lovedOneId })
  }
}

function readWritten(visit: Visit): Written {
  return {
    lovedOneId: visit.field('for').slice(0, 64),
    to: visit.field('to').slice(0, 320),
    cc: readCc(visit),
    subject: visit.field('subject').slice(0, 500),
    body: visit.field('body').slice(0, 25_000),
  }
}

export const NEW_MESSAGE = {
  toDraft: (visit: Visit) => ({ ...readWritten(visit), messageId: '', parts: undefined }),
  pathOf: () => WRITE_PATH,
}

/** Sends it, once for each form. The list that follows offers to undo it. */
export function writeMessage(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { files, idempotencyKey: key } = readReplyForm(visit)
    const { cc, ...written } = readWritten(visit)
    const form = { ...written, cc, files, key }
    if (isFromAnother(visit, workspace.session)) return writeReply(ctx, visit, workspace, form, FROM_ANOTHER)
    const lovedOne = requireLovedOne(workspace, form.lovedOneId)
    const { problem } = visit.files
    if (problem !== undefined) return writeReply(ctx, visit, workspace, form, { files: problem })
    const request = {
      ...written,
      ...toCopies(cc),
      ...(files.length > 0 && { attachments: { ids: files } }),
      idempotencyKey: toServiceKey(key),
      undoSeconds: ctx.config.replyUndoSec,
      discardDraft: true,
    }
    try {
      const { replyId } = await ctx.inbox.writeMessage(request, asPerson(workspace.session, visit))
      // composer.js deletes its copy of what was sent.
      return { redirectTo: withQuery(inboxPath(lovedOne), { written: replyId, sent: key }), flash: 'message-written' }
    } catch (error) {
      return writeReply(ctx, visit, workspace, { ...form, key: randomUUID() }, explainWrite(error))
    }
  }
}

/** Takes it back within its few seconds; it is the draft in the form again. */
export function undoWrite(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    try {
      const request = { replyId: visit.field('reply').slice(0, 128) }
      const { written } = await ctx.inbox.undoReply(request, asPerson(workspace.session, visit))
      return written === undefined ? { redirectTo: '/' } : { redirectTo: WRITE_PATH, flash: 'mail-undone' }
    } catch (error) {
      if (!(error instanceof StatusError) || error.status !== 'FAILED_PRECONDITION') throw error
      return { redirectTo: '/', flash: 'undo-too-late' }
    }
  }
}

/** On the list after a message was written. */
export function undoWritten(visit: Visit, { canWrite }: Workspace): Partial<Record<FlashName, Html>> {
  const [reply] = /^rep_\w{1,64}$/.exec(visit.query('written')) ?? []
  if (!canWrite || reply === undefined) return {}
  const undo = html`<form method="post" action="${WRITE_PATH}/undo"><input type="hidden" name="reply" value="${reply}"><button class="quiet">Undo</button></form>`
  return { 'message-written': undo }
}

function explainWrite(error: unknown): FieldErrors {
  if (error instanceof StatusError && error.detail.field === 'attachments') return { files: error.message }
  const copies = explainCopies(error)
  if (copies) return copies
  if (error instanceof StatusError && error.detail.field === 'idempotencyKey') return ALREADY_SENT
  return explainRefusal(error, 'to', INVALID_TO, OTHERS)
}

async function writeReply(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  sent: Written | Form,
  errors: FieldErrors = {},
): Promise<Reply> {
  const [{ correspondents }, drafts] = await Promise.all([
    ctx.inbox.listCorrespondents({}, asPerson(workspace.session, visit)),
    readMailDrafts(ctx, visit, workspace),
  ])
  const draft = drafts.find(({ messageId }) => messageId === '')
  const form = 'key' in sent ? sent : { ...sent, ...writtenOf(draft), files: [], key: randomUUID() }
  const title = 'New message'
  const hasErrors = Object.keys(errors).length > 0
  const known = correspondents.map(({ address }) => address)
  const main = html`<p class="up"><a href="/">Inbox</a></p>
${errorSummary(errors)}
<h1>${title}</h1>
${known.length === 0 ? NOBODY : writeForm(workspace, form, { known, draft, errors })}`
  return { page: sectionPage({ id: 'inbox', workspace }, { title, hasErrors, main }), status: hasErrors ? 422 : 200 }
}

/** What is empty in the draft is chosen by the address of the page. */
function writtenOf(draft: MailDraft | undefined): Partial<Written> {
  if (draft === undefined) return {}
  const { lovedOneId, to, cc, subject, body } = draft
  return { to, cc, subject, body, ...(lovedOneId !== '' && { lovedOneId }) }
}

const NOBODY = emptyState({
  title: 'Your address book is empty',
  text: 'You can write to whoever has written to your family first, once the check of their mail has passed, and to whoever you have answered.',
  action: { label: 'Go to inbox', href: '/' },
})

type Shown = { known: string[]; draft: MailDraft | undefined; errors: FieldErrors }

function writeForm({ lovedOnes, ownName, session }: Workspace, form: Form, { known, draft, errors }: Shown): Html {
  const draftPath = `${WRITE_PATH}/draft`
  const options = lovedOnes.map(({ id, name }) => ({ value: id, label: name }))
  return html`<form method="post" action="${WRITE_PATH}" enctype="multipart/form-data"${composerAttributes(draftPath, 'new')}>
<input type="hidden" name="key" value="${form.key}">
<input type="hidden" name="writer" value="${session.personId}">
${
  options.length === 1
    ? html`<input type="hidden" name="for" value="${options[0]?.value}">`
    : selectField({
        name: 'for',
        label: 'About',
        hint: 'Their answer comes to this inbox',
        options,
        value: form.lovedOneId,
      })
}
${textField({
  name: 'to',
  label: 'To',
  hint: 'Somebody in your address book',
  type: 'email',
  suggestions: known,
  value: form.to,
  error: errors.to,
  maxlength: 320,
})}
${copyField({ value: form.cc, error: errors.cc, known })}
${textField({ name: 'subject', label: 'Subject', value: form.subject, error: errors.subject, maxlength: 200 })}
${textArea({
  name: 'body',
  label: 'Your message',
  hint: `They see ${ownName} as the sender, and everyone in your care circle can read it.`,
  rows: 8,
  value: form.body,
  error: errors.body,
  maxlength: MAX_BODY,
})}
${attachmentField({ path: WRITE_PATH, draft: draftPath, files: draft?.attachments?.files ?? [], error: errors.files })}
<div class="row"><button>Send</button> <a href="/">Go back</a></div>
${draftButtons(draftPath, draft !== undefined)}
</form>`
}
