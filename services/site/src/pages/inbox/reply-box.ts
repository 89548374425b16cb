import { type Html, html } from '../../html.ts'
import { textArea } from '../../parts/text-area.ts'
import type { OpenMessageData } from './open-message.ts'

/** Answers the message. Who may not is told why there is no box. */
export function replyBox({ list, open, form }: OpenMessageData): Html {
  const { answerTo, message } = open.message
  if (!list.household.canWrite)
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
