import type { ReplyAttachment } from '@family-inbox/proto/inbox/v1/inbox'
import { textArea } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { withQuery } from '../shell/parts.ts'
import { foldedCopyField } from './copy-field.ts'
import { listQueryOf, type MailList } from './mail-list.ts'
import type { OpenMessage } from './read-message.ts'
import type { ReplyForm } from './reply.ts'
import { attachmentField } from './reply-attachments.ts'
import { isSame, isVerified } from './sender.ts'
import { isFinished } from './status-bar.ts'

/** The Reply button with its form, open when there is a draft; or why nobody can reply. */
export function replyBox({ query, workspace }: MailList, open: OpenMessage, form: ReplyForm): Html {
  const { canWrite, session, ownName } = workspace
  const { replyTo, replyRefusal, message } = open.message
  if (!canWrite)
    return html`<p class="reply-note hint">You can read everything here. Only owners and coordinators can reply.</p>`
  if (replyTo === '') return html`<p class="reply-note hint">${replyRefusal}</p>${unsendable(form)}`
  const hasFiles = (open.message.draftAttachments?.files.length ?? 0) > 0
  const isOpen = form.body !== '' || form.cc !== '' || hasFiles || Object.keys(form.errors).length > 0
  return html`<details class="reply" id="reply"${isOpen && html` open`}>
<summary class="button">Reply</summary>
${replyForm({
  path: `/inbox/${open.lovedOne.id}/${message.id}`,
  listQuery: listQueryOf(query),
  messageId: message.id,
  writer: session.personId,
  form,
  footer: open.message.replyFooter,
  attachments: open.message.draftAttachments?.files ?? [],
  hint: `To ${replyTo}. ${addressDoubt(open)}They see ${ownName} as the sender, and everyone in your care circle can read their answer.`,
  finish: !isFinished(message.state),
  member: open.message.replyToMember ? replyTo : undefined,
  offersOriginal: open.message.body.trim() !== '',
})}
</details>`
}

/** Before personal details go there. Empty if the mail proves that the address is its sender's. */
function addressDoubt({ message: { message, replyTo } }: OpenMessage): string {
  const { sender, originalSender } = message
  const to = { name: '', address: replyTo }
  if (isSame(originalSender, to) && !isSame(sender, to))
    return 'This address is from the text of a forwarded message, and we can’t check it. '
  return isVerified(message) && isSame(sender, to) ? '' : 'We can’t check that this is their address. '
}

/** A draft from before, or what was just refused: shown, so that its words are not lost. */
function unsendable({ body }: ReplyForm): Html | undefined {
  if (body === '') return undefined
  return html`<p class="hint">Your text was not sent:</p>
<div class="body" id="body" dir="auto">${body}</div>`
}

type ReplyFormData = {
  path: string
  /** Of the list that the message was opened from. */
  listQuery: Record<string, string>
  messageId: string
  writer: string
  form: ReplyForm
  /** Files of the draft. Without them, the form keeps those it has and takes no more. */
  attachments?: ReplyAttachment[]
  hint: string
  /** The address, if the author of a forwarded message was not found and the reply goes to a member. The writer must confirm it. */
  member?: string | undefined
  /** The line that will be added. */
  footer?: string | undefined
  offersOriginal?: boolean
  /** Whether the conversation is still open. */
  finish?: boolean
  /** The server does not have this text. */
  isUnsaved?: boolean
}

/** composer.js saves it as it is typed. Without JavaScript there is a button for that. */
export function replyForm(data: ReplyFormData): Html {
  const {
    path,
    listQuery,
    messageId,
    writer,
    form,
    attachments,
    hint,
    member,
    footer,
    offersOriginal,
    finish,
    isUnsaved,
  } = data
  const [action, draft] = [withQuery(`${path}/reply`, listQuery), withQuery(`${path}/draft`, listQuery)]
  const { body, idempotencyKey, errors } = form
  return html`<form class="composer" method="post" action="${action}" enctype="multipart/form-data" autocomplete="off" novalidate data-message="${messageId}" data-draft="${draft}"${isUnsaved && html` data-unsaved`}>
<input type="hidden" name="key" value="${idempotencyKey}">
<input type="hidden" name="writer" value="${writer}">
${textArea({ name: 'body', label: 'Your reply', hint, rows: 6, maxlength: 20_000, value: body, error: errors.body })}
${foldedCopyField({ value: form.cc, error: errors.cc })}
${attachments ? attachmentField({ path, draft, files: attachments, error: errors.files }) : keptFiles(form)}
${memberField(member, form)}
${footer && html`<p class="hint footer-line">Ends with: <bdi>${footer}</bdi></p>`}
${offersOriginal && html`<p><button class="quiet" name="include" value="original" formaction="${draft}">Include their message</button></p>`}
<noscript><button class="quiet" formaction="${draft}">Save draft</button></noscript>
<div class="row send"><button>Send reply</button>
${finish && html`<label class="tick"><input type="checkbox" name="finish" value="1"${form.finish && html` checked`}> <span>Done after sending</span></label>`}
<p class="hint saved" role="status"></p></div>
</form>`
}

/** A tick given before stays where the server is not asked who the message is from. */
function memberField(member: string | undefined, { toMember = '', errors }: ReplyForm): Html | undefined {
  if (member === undefined)
    return toMember === '' ? undefined : html`<input type="hidden" name="toMember" value="${toMember}">`
  return html`<div class="field">
<p class="hint" id="toMember-hint">We couldn’t find who wrote this forwarded message, so your reply would go to someone in your care circle.</p>
${errors.toMember && html`<p class="error" id="toMember-error"><span class="unseen">Error: </span>${errors.toMember}</p>`}
<label class="tick" for="toMember"><input type="checkbox" id="toMember" name="toMember" value="${member}" aria-describedby="toMember-hint"${toMember === member && html` checked`}> <span>Send it to <bdi>${member}</bdi></span></label>
</div>`
}

function keptFiles({ files }: ReplyForm): Html | undefined {
  if (files.length === 0) return undefined
  return html`${files.map((id) => html`<input type="hidden" name="file" value="${id}">`)}
<p class="hint">${files.length === 1 ? '1 file is' : `${files.length} files are`} sent with it.</p>`
}
