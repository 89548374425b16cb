import type { Mailbox } from '@family-inbox/proto/inbox/v1/inbox'
import { confirmationBox } from '../forwarding/confirmation-box.ts'
import { providerName } from '../forwarding/provider.ts'
import { errorSummary, type FieldErrors } from '../shell/field.ts'
import { type Html, html } from '../shell/html.ts'
import { initialsBadge } from '../shell/initials.ts'
import { whenOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { authenticityWords, isAuthentic } from './authenticity.ts'
import { categoryWords } from './category-words.ts'
import { conversation } from './conversation.ts'
import { fileKind, sizeWords } from './file-words.ts'
import { inboxSection } from './inbox.ts'
import { linkedText } from './linked-text.ts'
import { listPane } from './list-pane.ts'
import { listHref } from './list-query.ts'
import { senderName } from './mail-row.ts'
import { messageTools } from './message.ts'
import { type Original, originalOf } from './original.ts'
import type { MailList } from './read-list.ts'
import type { OpenMessage } from './read-message.ts'
import { replyBox } from './reply.ts'

export type ReplyForm = { body: string; idempotencyKey: string; errors: FieldErrors }

export type OpenMessageData = { list: MailList; open: OpenMessage; clock: ReaderClock; form: ReplyForm }

/** One message: what it says, what came with it, what the family did, and the way to answer. */
export function openMessagePage(data: OpenMessageData): Page {
  const { list, open, clock, form } = data
  const { message } = open.message
  return sectionPage(inboxSection(list), {
    title: message.subject || 'No subject',
    isWide: true,
    hasErrors: Object.keys(form.errors).length > 0,
    main: html`<div class="panes is-open">
<article class="pane message" id="message" data-title="${message.subject || 'No subject'}">
<p class="up"><a href="${listHref(list.query)}">Back to the inbox</a></p>
${errorSummary(form.errors)}
<h1 tabindex="-1"><bdi>${message.subject || 'No subject'}</bdi></h1>
${messageFacts(data)}
${forwardingRequest(open)}
<div class="body" dir="auto">${bodyOf(open)}</div>
${open.message.bodyTruncated && html`<p class="hint">This message is longer than what can be shown here.</p>`}
${asDesigned(open)}
${attachmentList(open)}
${conversation(data)}
${replyBox(data)}
${messageTools(data)}
</article>
${listPane({ list, clock, heading: 'h2', openId: message.id })}
</div>`,
  })
}

/** A provider's request that nothing vouches for has no links: those of a fake lead to where somebody gives their mailbox away. */
function bodyOf(open: OpenMessage): Html | string {
  return isDoubtfulRequest(open) ? open.message.body : linkedText(open.message.body)
}

function isDoubtfulRequest({ message }: OpenMessage): boolean {
  return message.forwardingConfirmation !== undefined && !isAuthentic(message.authenticity)
}

/** The mail's own looks, in a frame in which nothing runs and nothing is fetched; loaded when it is opened. */
function asDesigned(open: OpenMessage): Html | undefined {
  const { lovedOne, message } = open
  if (!message.hasMarkup || isDoubtfulRequest(open)) return undefined
  return html`<details class="designed linked">
<summary>Show it as it was designed</summary>
<p class="hint">Pictures from other places are left out, so that nobody learns that you read this.</p>
<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" loading="lazy" referrerpolicy="no-referrer" src="/inbox/${lovedOne.id}/${message.message.id}/designed" title="The message as it was designed"></iframe>
</details>`
}

/** From whom, for whom, when, of what kind, and whether it is authentic. */
function messageFacts({ open, clock }: OpenMessageData): Html {
  const { lovedOne } = open
  const { message, authenticity, sentAt } = open.message
  const { sender, receivedAt } = message
  const original = originalOf(message)
  const domain = sender?.address.split('@').at(-1) || 'the sender'
  const verdict = authenticityWords(authenticity, domain)
  return html`<div class="message-head">
<p class="who">${person(sender)}</p>
${original && forwarded(original, sender)}
<p class="hint">For ${initialsBadge(lovedOne.name, lovedOne.position)} <bdi>${lovedOne.name}</bdi> · ${receivedAt && whenOf(receivedAt, clock)} · ${categoryWords(message.category).label}</p>
<details class="authenticity linked ${verdict.kind}">
<summary><span class="badge-word">${verdict.label}</span></summary>
<p>${verdict.text}${original && ' This is about who sent it here. The original it holds can’t be checked.'}</p>
${authenticity && html`<p class="hint">What was checked: SPF ${authenticity.spf}, DKIM ${authenticity.dkim}, DMARC ${authenticity.dmarc}, ARC ${authenticity.arc}.${sentAt && html` Written ${whenOf(sentAt, clock)}.`}</p>`}
</details>
</div>`
}

/** Whose words they are: as a fact when a member says so, else as what the mail says. */
function forwarded({ writer, isVerified }: Original, sender: Mailbox | undefined): Html {
  if (isVerified)
    return html`<p class="hint">Forwarded by <bdi>${senderName(sender)}</bdi>, written by ${person(writer)}</p>`
  return html`<p class="hint">The message says that ${person(writer)} wrote it. We can’t check that.</p>`
}

function person(mailbox: Mailbox | undefined): Html {
  if (mailbox === undefined || (mailbox.name === '' && mailbox.address === '')) return html`Nobody is named as sender`
  const { name, address } = mailbox
  if (name === '') return html`<bdi>${address}</bdi>`
  return html`<strong><bdi>${name}</bdi></strong>${address !== '' && html` <span class="hint address-of"><bdi>${address}</bdi></span>`}`
}

/** The files of a message, to be kept; none of them is ever opened here. */
function attachmentList({ lovedOne, message }: OpenMessage): Html | undefined {
  const { attachments } = message
  if (attachments.length === 0) return undefined
  return html`<section class="attachments" aria-labelledby="attachments">
<h2 id="attachments">${attachments.length === 1 ? '1 attachment' : `${attachments.length} attachments`}</h2>
<ul>${attachments.map(
    ({ filename, contentType, size }, index) =>
      html`<li><a href="/inbox/${lovedOne.id}/${message.message.id}/files/${index}" download><bdi>${filename}</bdi></a> <span class="hint">${fileKind(contentType, filename)}, ${sizeWords(size)}</span></li>`,
  )}</ul>
</section>`
}

/** A provider's request to confirm that mail may be forwarded here: its code stands out, whoever reads the inbox. */
function forwardingRequest({ message, lovedOne }: OpenMessage): Html | undefined {
  const { forwardingConfirmation: confirmation, authenticity } = message
  if (confirmation === undefined) return undefined
  return html`<section class="notice" aria-labelledby="request">
<h2 id="request">${providerName(confirmation.provider)} asks whether it may forward mail to <bdi>${lovedOne.name}</bdi>’s inbox</h2>
${confirmationBox({ confirmation, isAuthentic: isAuthentic(authenticity) })}
</section>`
}
