import { randomUUID } from 'node:crypto'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type FieldErrors, textArea, toFieldErrors } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { durationOf } from '../shell/moment.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'
import type { OpenMessage } from './read-message.ts'

const FIELD_ERRORS = { body: 'Enter your reply, up to 20,000 characters' }
const ALREADY_SENT = { body: 'You already sent a reply from this form. To send this one too, press Send reply again.' }

export type ReplyForm = { body: string; idempotencyKey: string; errors: FieldErrors }

export function emptyReply(): ReplyForm {
  return { body: '', idempotencyKey: randomUUID(), errors: {} }
}

/** Sends the reply, once per form. Returns the form with its error when it was refused. */
export async function sendReply(ctx: Context, visit: Visit, workspace: Workspace): Promise<'sent' | ReplyForm> {
  const lovedOneId = visit.param('lovedOneId').slice(0, 128)
  const messageId = visit.param('messageId').slice(0, 128)
  const body = visit.field('body').slice(0, 25_000)
  const idempotencyKey = visit.field('key').slice(0, 100)
  try {
    const request = { lovedOneId, messageId, body, idempotencyKey: idempotencyKey && `form:${idempotencyKey}` }
    await ctx.inbox.replyToMessage(request, asPerson(workspace.session, visit))
    return 'sent'
  } catch (error) {
    // Same form, other text: offer to send it under a new key.
    if (error instanceof StatusError && error.detail.field === 'idempotencyKey')
      return { body, idempotencyKey: randomUUID(), errors: ALREADY_SENT }
    return { body, idempotencyKey, errors: explainLimit(error) ?? toFieldErrors(error, FIELD_ERRORS) }
  }
}

/** A rate limit, or an address we may not send to. Shown at the text, which the form keeps. */
function explainLimit(error: unknown): FieldErrors | undefined {
  if (!(error instanceof StatusError)) return undefined
  if (error.status !== 'RESOURCE_EXHAUSTED' && error.status !== 'FAILED_PRECONDITION') return undefined
  const { retryAfterSec } = error.detail
  return { body: retryAfterSec ? `${error.message} Try again in ${durationOf(retryAfterSec)}.` : error.message }
}

/** The reply form, or why there is none. */
export function replyBox({ canWrite }: Workspace, open: OpenMessage, form: ReplyForm): Html {
  const { answerTo, message } = open.message
  if (!canWrite)
    return html`<p class="reply-note hint">You can read everything here. Only owners and coordinators can reply.</p>`
  if (answerTo === '') return html`<p class="reply-note hint">This message has no address to reply to.</p>`
  return html`<section class="reply" aria-label="Reply">
<form method="post" action="/inbox/${open.lovedOne.id}/${message.id}/reply" novalidate>
<input type="hidden" name="key" value="${form.idempotencyKey}">
${textArea({
  name: 'body',
  label: 'Your reply',
  hint: `To ${answerTo}. They see ${open.ownName} as the sender, and everyone in your care circle can read their answer.`,
  rows: 6,
  maxlength: 20_000,
  value: form.body,
  error: form.errors.body,
})}
<button>Send reply</button>
</form>
</section>`
}
