import { type Html, html } from '../shell/html.ts'
import { messageIdsOf, messagePath } from '../shell/inbox-paths.ts'
import type { PageReply, Visit } from '../shell/visit.ts'
import { replyForm } from './composer.ts'
import { backToMessage, sentListQuery } from './mail-list.ts'
import { readReplyForm } from './reply.ts'

type Reason = 'signed-out' | 'someone-else' | 'no-family'

const EXPLANATIONS: Record<Reason, { text: string; action: string; path: (returnTo: string) => string }> = {
  'signed-out': {
    text: 'Your session ended, so your reply was not sent. Your text is still here.',
    action: 'Sign in',
    path: (returnTo) => `/sign-in?return_to=${encodeURIComponent(returnTo)}`,
  },
  'someone-else': {
    text: 'Someone else is signed in now, so this reply was not sent. The text is still here.',
    action: 'Sign out, then sign in as the person who wrote it',
    path: () => '/settings',
  },
  'no-family': {
    text: 'This browser has left the family’s inbox, so your reply was not sent. Your text is still here.',
    action: 'Choose the family',
    path: () => '/families',
  },
}

/** Whether the form was made for another person than the one who is signed in now. */
export function isFromAnother(visit: Visit, { personId }: { personId: string }): boolean {
  const { writer } = readReplyForm(visit)
  return writer !== '' && writer !== personId
}

/** Returns the text in the same form. Nothing is stored, because we don't know who wrote it. */
export function unsentReply(reason: Reason, visit: Visit): PageReply {
  const ids = messageIdsOf(visit)
  const { writer, ...form } = readReplyForm(visit)
  const main = html`<h1>Your reply was not sent</h1>
${steps(reason, backToMessage(visit))}
${replyForm({ path: messagePath(ids), listQuery: sentListQuery(visit), messageId: ids.messageId, writer, form, hint: 'Not sent yet.', isUnsaved: true })}`
  return { status: 422, page: { title: 'Your reply was not sent', hasErrors: true, main } }
}

function steps(reason: Reason, returnTo: string): Html {
  const { text, action, path } = EXPLANATIONS[reason]
  return html`<p class="notice" role="alert">${text}</p>
<ol class="steps">
<li><a href="${path(returnTo)}" target="_blank" rel="noopener">${action}</a> (opens in a new tab).</li>
<li>Come back to this page and press Send reply.</li>
</ol>`
}
