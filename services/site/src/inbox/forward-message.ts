import { randomUUID } from 'node:crypto'
import type { ForwardMessageRequest, OpenMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
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
import { backToMessage } from './mail-list.ts'
import { messageMissing } from './read-message.ts'
import { toServiceKey } from './reply.ts'

const MAX_BODY = 5000
const INVALID_TO = 'Enter an email address outside of this service, like ana@example.org'

type ForwardForm = Pick<ForwardMessageRequest, 'to' | 'body'> & {
  withFiles: boolean
  withOriginal: boolean
  key: string
}

const NEW: Omit<ForwardForm, 'key'> = { to: '', body: '', withFiles: true, withOriginal: false }

/** Asks to whom a message goes, and what goes with it. */
export function showForward(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    return forwardReply(ctx, visit, workspace, { ...NEW, key: randomUUID() })
  }
}

/** Forwards it, once for each form. */
export function forwardMessage(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const form: ForwardForm = {
      to: visit.field('to').slice(0, 320),
      body: visit.field('body').slice(0, MAX_BODY + 1),
      withFiles: visit.field('files') !== '',
      withOriginal: visit.field('original') !== '',
      key: visit.field('key').slice(0, 100),
    }
    const request = {
      ...messageIdsOf(visit),
      to: form.to,
      body: form.body,
      parts: { files: form.withFiles, original: form.withOriginal },
      idempotencyKey: toServiceKey(form.key),
      undoSeconds: ctx.config.replyUndoSec,
    }
    try {
      await ctx.inbox.forwardMessage(request, asPerson(workspace.session, visit))
    } catch (error) {
      return forwardReply(ctx, visit, workspace, { ...form, key: randomUUID() }, explainForward(error))
    }
    return { redirectTo: backToMessage(visit, 'family'), flash: 'message-forwarded' }
  }
}

/** The form of one that was undone. */
export function takenBack({ to, body, parts }: ForwardMessageRequest): ForwardForm {
  const { files: withFiles = false, original: withOriginal = false } = parts ?? {}
  return { to, body, withFiles, withOriginal, key: randomUUID() }
}

const OTHERS = {
  body: 'Enter at most 5,000 characters',
  parts: 'Files can be up to 20 MB together. Leave some out.',
}
const ALREADY_FORWARDED = { to: 'You already forwarded it from this form. To send this one too, press Forward again.' }

function explainForward(error: unknown): FieldErrors {
  if (error instanceof StatusError && error.detail.field === 'idempotencyKey') return ALREADY_FORWARDED
  return explainRefusal(error, 'to', INVALID_TO, OTHERS)
}

/** The page, also with a form that was refused or taken back. */
export async function forwardReply(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  form: ForwardForm,
  errors: FieldErrors = {},
): Promise<Reply> {
  const request = { ...messageIdsOf(visit), markRead: false }
  const person = asPerson(workspace.session, visit)
  const opened = await ctx.inbox.openMessage(request, person).catch(undefinedIfMissing)
  if (opened?.message === undefined) return messageMissing(workspace)
  const { correspondents } = await ctx.inbox.listCorrespondents({}, person)
  const known = correspondents.map(({ address }) => address)
  const title = 'Forward message'
  const hasErrors = Object.keys(errors).length > 0
  const main = html`<p class="up"><a href="${messagePath(messageIdsOf(visit))}">Message</a></p>
${errorSummary(errors)}
<h1>${title}</h1>
${forwardForm(visit, opened, form, known, errors)}`
  return { page: sectionPage({ id: 'inbox', workspace }, { title, hasErrors, main }), status: hasErrors ? 422 : 200 }
}

function forwardForm(
  visit: Visit,
  { message, attachments }: OpenMessageResponse,
  form: ForwardForm,
  known: string[],
  errors: FieldErrors,
): Html {
  const path = messagePath(messageIdsOf(visit))
  const size = attachments.reduce((sum, file) => sum + Number(file.size), 0)
  const count = attachments.length === 1 ? 'its file' : `its ${attachments.length} files`
  return html`<p>They get the whole text of “<bdi>${message?.subject}</bdi>”, and see whose mail it is. Their answer comes to this inbox.</p>
<form method="post" action="${path}/forward" novalidate>
<input type="hidden" name="key" value="${form.key}">
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
</form>`
}
