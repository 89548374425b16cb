import { randomUUID } from 'node:crypto'
import type { MailDraft, OpenMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textArea, textField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { messageIdsOf, messagePath } from '../shell/inbox-paths.ts'
import { sectionPage } from '../shell/page.ts'
import { sizeWords } from '../shell/parts.ts'
import { explainRefusal } from '../shell/refusal.ts'
import { asPerson } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { requireWriter, undefinedIfMissing, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { copyField, explainCopies, readCc, toCopies } from './copy-field.ts'
import { composerAttributes, draftButtons, readMailDrafts } from './mail-draft.ts'
import { backToMessage } from './mail-list.ts'
import { messageMissing } from './read-message.ts'
import { toServiceKey } from './reply.ts'
import { isFromAnother } from './unsent-reply.ts'

const MAX_BODY = 5000
const INVALID_TO = 'Enter an email address outside of this service, like ana@example.org'

type ForwardForm = {
  to: string
  cc: string
  body: string
  withFiles: boolean
  withOriginal: boolean
  key: string
}

const NEW: Omit<ForwardForm, 'key'> = { to: '', cc: '', body: '', withFiles: true, withOriginal: false }

/** Asks to whom a message goes, and what goes with it. Shows what the reader has begun. */
export function showForward(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    return forwardReply(ctx, visit, workspace, undefined)
  }
}

/** Forwards it, once for each form. */
export function forwardMessage(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const form = readForward(visit)
    if (isFromAnother(visit, workspace.session)) return forwardReply(ctx, visit, workspace, form, FROM_ANOTHER)
    const request = {
      ...messageIdsOf(visit),
      to: form.to,
      ...toCopies(form.cc),
      body: form.body,
      parts: { files: form.withFiles, original: form.withOriginal },
      idempotencyKey: toServiceKey(form.key),
      undoSeconds: ctx.config.replyUndoSec,
      discardDraft: true,
    }
    try {
      await ctx.inbox.forwardMessage(request, asPerson(workspace.session, visit))
    } catch (error) {
      return forwardReply(ctx, visit, workspace, { ...form, key: randomUUID() }, explainForward(error))
    }
    // composer.js deletes its copy of what was sent.
    return { redirectTo: backToMessage(visit, 'family', { sent: form.key }), flash: 'message-forwarded' }
  }
}

function readForward(visit: Visit): ForwardForm {
  return {
    to: visit.field('to').slice(0, 320),
    cc: readCc(visit),
    body: visit.field('body').slice(0, 25_000),
    withFiles: visit.field('files') !== '',
    withOriginal: visit.field('original') !== '',
    key: visit.field('key').slice(0, 100),
  }
}

export const FORWARD = {
  toDraft(visit: Visit) {
    const { to, cc, body, withFiles: files, withOriginal: original } = readForward(visit)
    return { ...messageIdsOf(visit), to, cc, subject: '', body, parts: { files, original } }
  },
  pathOf: forwardPath,
}

export function forwardPath(visit: Visit): string {
  return `${messagePath(messageIdsOf(visit))}/forward`
}

function formOf(draft: MailDraft | undefined): ForwardForm {
  if (draft === undefined) return { ...NEW, key: randomUUID() }
  const { to, cc, body, parts } = draft
  const { files: withFiles = false, original: withOriginal = false } = parts ?? {}
  return { to, cc, body, withFiles, withOriginal, key: randomUUID() }
}

const OTHERS = {
  body: 'Enter at most 5,000 characters',
  parts: 'Files can be up to 20 MB together. Leave some out.',
}
const FROM_ANOTHER = { to: 'Someone else is signed in now. Check who you are, then press Forward again.' }
const ALREADY_FORWARDED = { to: 'You already forwarded it from this form. To send this one too, press Forward again.' }

function explainForward(error: unknown): FieldErrors {
  if (error instanceof StatusError && error.detail.field === 'idempotencyKey') return ALREADY_FORWARDED
  return explainCopies(error) ?? explainRefusal(error, 'to', INVALID_TO, OTHERS)
}

/** The page, also with a form that was refused. */
async function forwardReply(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  sent: ForwardForm | undefined,
  errors: FieldErrors = {},
): Promise<Reply> {
  const request = { ...messageIdsOf(visit), markRead: false }
  const person = asPerson(workspace.session, visit)
  const opened = await ctx.inbox.openMessage(request, person).catch(undefinedIfMissing)
  if (opened?.message === undefined) return messageMissing(workspace)
  const [{ correspondents }, drafts] = await Promise.all([
    ctx.inbox.listCorrespondents({}, person),
    readMailDrafts(ctx, visit, workspace),
  ])
  const { lovedOneId, messageId } = messageIdsOf(visit)
  const draft = drafts.find((one) => one.messageId === messageId && one.lovedOneId === lovedOneId)
  const form = sent ?? formOf(draft)
  const known = correspondents.map(({ address }) => address)
  const title = 'Forward message'
  const hasErrors = Object.keys(errors).length > 0
  const main = html`<p class="up"><a href="${messagePath(messageIdsOf(visit))}">Message</a></p>
${errorSummary(errors)}
<h1>${title}</h1>
${forwardForm(visit, opened, form, { known, errors, hasDraft: draft !== undefined, writer: workspace.session.personId })}`
  return { page: sectionPage({ id: 'inbox', workspace }, { title, hasErrors, main }), status: hasErrors ? 422 : 200 }
}

function forwardForm(
  visit: Visit,
  { message, attachments }: OpenMessageResponse,
  form: ForwardForm,
  { known, errors, hasDraft, writer }: { known: string[]; errors: FieldErrors; hasDraft: boolean; writer: string },
): Html {
  const path = messagePath(messageIdsOf(visit))
  const draft = `${path}/forward/draft`
  const size = attachments.reduce((sum, file) => sum + Number(file.size), 0)
  const count = attachments.length === 1 ? 'its file' : `its ${attachments.length} files`
  return html`<p>They get the whole text of “<bdi>${message?.subject}</bdi>”, and see whose mail it is. Their answer comes to this inbox.</p>
<form method="post" action="${path}/forward"${composerAttributes(draft, `forward-${message?.id}`)}>
<input type="hidden" name="key" value="${form.key}">
<input type="hidden" name="writer" value="${writer}">
${textField({
  name: 'to',
  label: 'To',
  hint: 'A relative or a doctor, for example. Check each letter: what is sent can’t be called back.',
  type: 'email',
  suggestions: known,
  value: form.to,
  error: errors.to,
  maxlength: 320,
})}
${copyField({ value: form.cc, error: errors.cc, known })}
${textArea({ name: 'body', label: 'Your words', optional: true, value: form.body, error: errors.body, maxlength: MAX_BODY })}
<fieldset class="radios" id="parts"><legend>What goes with it</legend>
${errors.parts && html`<p class="error"><span class="unseen">Error: </span>${errors.parts}</p>`}
${
  attachments.length > 0 &&
  html`<label class="tick"><input type="checkbox" name="files" value="1"${form.withFiles && html` checked`}> <span>Attach ${count}<span class="hint">${sizeWords(size)}</span></span></label>`
}
<label class="tick"><input type="checkbox" name="original" value="1"${form.withOriginal && html` checked`}> <span>Attach the original mail<span class="hint">As a file that mail programs open, with everything in it</span></span></label>
</fieldset>
<div class="row"><button>Forward</button> <a href="${path}">Go back</a></div>
${draftButtons(draft, hasDraft)}
</form>`
}
