import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type FieldErrors, toFieldErrors } from '../shell/field.ts'
import { textArea } from '../shell/form-controls.ts'
import { type Html, html } from '../shell/html.ts'
import { durationOf } from '../shell/moment.ts'
import { asPerson } from '../shell/session.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { messageMissing, messageReply } from './message.ts'
import type { OpenMessageData } from './open-message.ts'

/** Sends a reply. The form's own key makes it one reply, however often the form is sent. */
export function replyToMessage(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOneId = visit.param('lovedOneId').slice(0, 128)
    const messageId = visit.param('messageId').slice(0, 128)
    const body = visit.field('body').slice(0, 25_000)
    const idempotencyKey = visit.field('key').slice(0, 100)
    try {
      const request = { lovedOneId, messageId, body, idempotencyKey: idempotencyKey && `form:${idempotencyKey}` }
      await ctx.inbox.replyToMessage(request, asPerson(workspace.session, visit))
      return { redirectTo: `/inbox/${lovedOneId}/${messageId}#family`, flash: 'reply-sent' }
    } catch (error) {
      if (error instanceof StatusError && error.status === 'NOT_FOUND') return messageMissing(workspace)
      // The same form once more with other words: they are kept, and sent under a key of their own.
      if (error instanceof StatusError && error.detail.field === 'idempotencyKey')
        return messageReply(ctx, visit, workspace, { body, idempotencyKey: crypto.randomUUID(), errors: SENT_BEFORE })
      const errors = notNow(error) ?? toFieldErrors(error, WORDS)
      return messageReply(ctx, visit, workspace, { body, idempotencyKey, errors })
    }
  }
}

/** A limit, or an address that no mail goes to: said at the text, which is kept. */
function notNow(error: unknown): FieldErrors | undefined {
  if (!(error instanceof StatusError)) return undefined
  if (error.status !== 'RESOURCE_EXHAUSTED' && error.status !== 'FAILED_PRECONDITION') return undefined
  const { retryAfterSec } = error.detail
  return { body: retryAfterSec ? `${error.message} Try again in ${durationOf(retryAfterSec)}.` : error.message }
}

const WORDS = { body: 'Type your reply, up to 20,000 characters' }
const SENT_BEFORE = {
  body: 'A reply was sent from this form already. If you want to send this one too, send it again.',
}

/** Answers the message. Who may not is told why there is no box. */
export function replyBox({ list, open, form }: OpenMessageData): Html {
  const { answerTo, message } = open.message
  if (!list.workspace.canWrite)
    return html`<p class="reply-note hint">You can read everything here. Replies are for the owner and coordinators.</p>`
  if (answerTo === '') return html`<p class="reply-note hint">This message names no address that could be answered.</p>`
  return html`<section class="reply" aria-label="Reply">
<form method="post" action="/inbox/${open.lovedOne.id}/${message.id}/reply" novalidate>
<input type="hidden" name="key" value="${form.idempotencyKey}">
${textArea({
  name: 'body',
  label: 'Your reply',
  hint: `To ${answerTo}. They see ${open.ownName} as the sender, and their answer comes to this inbox, where everybody in your care circle can read it.`,
  rows: 6,
  maxlength: 20_000,
  value: form.body,
  error: form.errors.body,
})}
<button>Send the reply</button>
</form>
</section>`
}
