import { randomUUID } from 'node:crypto'
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
import { toServiceKey } from './reply.ts'

const PATH = '/inbox/write'
const MAX_BODY = 20_000
const INVALID_TO = 'Choose an address from your address book'
const OTHERS = {
  subject: 'Enter a subject of up to 200 characters',
  body: 'Enter your message, up to 20,000 characters',
}
const ALREADY_SENT = { body: 'You already sent a message from this form. To send this one too, press Send again.' }

type Form = { lovedOneId: string; to: string; subject: string; body: string; key: string }

/** A new message to somebody in the family's address book. */
export function showWrite(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    const lovedOneId = visit.query('for').slice(0, 64)
    return writeReply(ctx, visit, workspace, { lovedOneId, to: '', subject: '', body: '', key: randomUUID() })
  }
}

/** Sends it, once for each form. The list that follows offers to undo it. */
export function writeMessage(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const form = {
      lovedOneId: visit.field('for').slice(0, 64),
      to: visit.field('to').slice(0, 320),
      subject: visit.field('subject').slice(0, 500),
      body: visit.field('body').slice(0, MAX_BODY + 1),
      key: visit.field('key').slice(0, 100),
    }
    const { key, ...written } = form
    const lovedOne = requireLovedOne(workspace, form.lovedOneId)
    const request = { ...written, idempotencyKey: toServiceKey(key), undoSeconds: ctx.config.replyUndoSec }
    try {
      const { replyId } = await ctx.inbox.writeMessage(request, asPerson(workspace.session, visit))
      return { redirectTo: withQuery(inboxPath(lovedOne), { written: replyId }), flash: 'message-written' }
    } catch (error) {
      return writeReply(ctx, visit, workspace, { ...form, key: randomUUID() }, explainWrite(error))
    }
  }
}

/** Takes it back within its few seconds; its words are in the form again. */
export function undoWrite(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    try {
      const request = { replyId: visit.field('reply').slice(0, 128) }
      const { written } = await ctx.inbox.undoReply(request, asPerson(workspace.session, visit))
      if (written === undefined) return { redirectTo: '/' }
      const { lovedOneId, to, subject, body } = written
      return writeReply(ctx, visit, workspace, { lovedOneId, to, subject, body, key: randomUUID() })
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
  const undo = html`<form method="post" action="${PATH}/undo"><input type="hidden" name="reply" value="${reply}"><button class="quiet">Undo</button></form>`
  return { 'message-written': undo }
}

function explainWrite(error: unknown): FieldErrors {
  if (error instanceof StatusError && error.detail.field === 'idempotencyKey') return ALREADY_SENT
  return explainRefusal(error, 'to', INVALID_TO, OTHERS)
}

async function writeReply(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  form: Form,
  errors: FieldErrors = {},
): Promise<Reply> {
  const { correspondents } = await ctx.inbox.listCorrespondents({}, asPerson(workspace.session, visit))
  const title = 'New message'
  const hasErrors = Object.keys(errors).length > 0
  const known = correspondents.map(({ address }) => address)
  const main = html`<p class="up"><a href="/">Inbox</a></p>
${errorSummary(errors)}
<h1>${title}</h1>
${known.length === 0 ? NOBODY : writeForm(workspace, form, known, errors)}`
  return { page: sectionPage({ id: 'inbox', workspace }, { title, hasErrors, main }), status: hasErrors ? 422 : 200 }
}

const NOBODY = emptyState({
  title: 'Your address book is empty',
  text: 'You can write to whoever has written to your family first, once the check of their mail has passed, and to whoever you have answered.',
  action: { label: 'Go to inbox', href: '/' },
})

function writeForm({ lovedOnes, ownName }: Workspace, form: Form, known: string[], errors: FieldErrors): Html {
  const options = lovedOnes.map(({ id, name }) => ({ value: id, label: name }))
  return html`<form method="post" action="${PATH}" novalidate>
<input type="hidden" name="key" value="${form.key}">
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
<div class="row"><button>Send</button> <a href="/">Go back</a></div>
</form>`
}
