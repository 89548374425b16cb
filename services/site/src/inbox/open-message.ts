import type { ListCalendarRequestsResponse, Mailbox } from '@family-inbox/proto/inbox/v1/inbox'
import { domainOf } from '@family-inbox/workspace-kit/same-sender'
import { calendarAnswers } from '../appointments/calendar-answers.ts'
import { confirmationBox, providerName } from '../forwarding/confirmation-box.ts'
import { errorSummary } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { assistantOf, initialsBadge } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { stopNotice } from '../shell/stopped-recipient.ts'
import { attachmentList } from './attachment-list.ts'
import { CATEGORY_WORDS, categoryWords } from './category-words.ts'
import { replyBox } from './composer.ts'
import { conversation } from './conversation.ts'
import { inboxSection } from './inbox.ts'
import { calendarLosses, type FoundInvitation, type FoundInvitations, invitationCard } from './invitation-card.ts'
import { linkedText } from './linked-text.ts'
import { listPane } from './list-pane.ts'
import { listHref, type MailList } from './mail-list.ts'
import { type MessageActivity, messageActivityLines } from './message-activity.ts'
import { appointmentLinks, dateOffers, type MessageAppointments, untakenNote } from './message-appointments.ts'
import { type NoteForm, notesSection } from './notes.ts'
import type { OpenMessage } from './read-message.ts'
import { reminderOffer, remindersSection } from './reminders.ts'
import type { ReplyForm } from './reply.ts'
import { addressBeside, checkWords, isVerified, type Original, originalOf, senderName } from './sender.ts'
import { statusBar } from './status-bar.ts'

/** In characters. A sandboxed frame cannot be measured, and a short letter would leave most of it empty. */
const SHORT_LETTER = 800

type OpenMessageData = {
  list: MailList
  open: OpenMessage
  invitations: FoundInvitations
  appointments: MessageAppointments
  activity: MessageActivity
  calendar: ListCalendarRequestsResponse
  clock: ReaderClock
  form: ReplyForm
  note: NoteForm
}

export function openMessagePage(data: OpenMessageData): Page {
  const { list, open, invitations, appointments, activity, clock, form, note } = data
  const errors = { ...form.errors, ...note.errors }
  const { message, attachments, conversationId } = open.message
  const { earlier, later } = conversation(list, open, clock)
  return sectionPage(inboxSection(list), {
    title: message.subject || 'No subject',
    isWide: true,
    hasErrors: Object.keys(errors).length > 0,
    main: html`<div class="panes is-open">
<article class="pane message" id="message" data-title="${message.subject || 'No subject'}">
<p class="up"><a href="${listHref(list.query)}">Back to inbox</a></p>
${errorSummary(errors)}
<h1 tabindex="-1"><bdi>${message.subject || 'No subject'}</bdi></h1>
${earlier}
${messageFacts(data)}
${statusBar(list, open, clock)}
${forwardingRequest(open)}
${invitations.cards.map((card) => invitationCard(card, clock, { answers: answersOn(card, data), isProven: isWriterProven(open) }))}
${calendarLosses({ ...invitations, lovedOneId: open.lovedOne.id, messageId: message.id, canWrite: list.workspace.canWrite })}
${untakenNote(appointments.notTaken, { lovedOneId: open.lovedOne.id, messageId: message.id }, list.workspace.canWrite)}
${appointmentLinks(appointments.appointments, clock) ?? offers(data)}
${reminderOffer(list, open, clock)}
${letter(open)}
${attachmentList({ path: `/inbox/${open.lovedOne.id}/${message.id}`, attachments, onCards: invitations.shown })}
${later}
${messageActivityLines(activity, list.workspace, clock)}
${waitingReplies(open)}
${stopNotice({ stop: open.message.stop, workspace: list.workspace, clock, action: `/inbox/${open.lovedOne.id}/${message.id}/allow` })}
${replyBox(list.workspace, open, form)}
${notesSection(list, open, note, clock)}
${remindersSection(list, open, clock)}
${messageTools(data)}
</article>
${listPane({ list, clock, heading: 'h2', openId: conversationId ?? message.id })}
</div>`,
  })
}

/** Judges the original sender of a forwarded mail: whether a member forwarded it. */
function isWriterProven({ message: { message } }: OpenMessage): boolean {
  return originalOf(message)?.isVerified ?? isVerified(message) ?? false
}

/** On the card of its event; what has no card of its own is on the first. */
function answersOn(card: FoundInvitation, data: OpenMessageData): Html | undefined {
  const { list, open, calendar, clock } = data
  const { cards } = data.invitations
  const cardOf = (uid: string) => cards.find(({ invitation }) => invitation.uid === uid) ?? cards[0]
  const requests = calendar.requests.filter(({ uid }) => cardOf(uid) === card)
  const hashes = new Set(requests.map(({ uidHash }) => uidHash))
  const answers = calendar.answers.filter(({ uidHash }) => hashes.has(uidHash))
  const ids = { lovedOneId: open.lovedOne.id, messageId: open.message.message.id }
  return calendarAnswers({ ids, requests, answers, canWrite: list.workspace.canWrite }, clock)
}

/** An invitation already has its date. */
function offers({ list, open, invitations, clock }: OpenMessageData): Html | undefined {
  if (!list.workspace.canWrite || invitations.cards.length > 0) return undefined
  const { body, message } = open.message
  const { id: messageId, receivedAt: writtenAt = clock.now } = message
  return dateOffers({ lovedOneId: open.lovedOne.id, messageId, body, writtenAt }, clock)
}

function waitingReplies({ message: { proposals } }: OpenMessage): Html[] {
  return proposals.map(
    ({ id, name, assistant }) =>
      html`<p class="notice waiting"><a href="/approvals/replies/${id}">${assistantOf(name, assistant)} would like to reply. Review it</a></p>`,
  )
}

/** No links in an unverified forwarding request: a forged link could give away someone's mailbox. */
function bodyOf(open: OpenMessage): Html | string {
  return isUnverifiedRequest(open) ? open.message.body : linkedText(open.message.body)
}

function isUnverifiedRequest({ message }: OpenMessage): boolean {
  return message.forwardingConfirmation !== undefined && !isVerified(message.message)
}

/** The original layout first if the mail has no plain text of its own, else the text first. */
function letter(open: OpenMessage): Html {
  const { bodyTruncated, hasMarkup, showLayoutFirst } = open.message
  const text = html`<div class="body" dir="auto">${bodyOf(open)}</div>
${bodyTruncated && html`<p class="hint">This message is too long to show in full.</p>`}`
  if (!hasMarkup || isUnverifiedRequest(open)) return text
  if (showLayoutFirst)
    return html`<div class="original-layout">${originalLayout(open)}</div>
<details class="as-text linked"><summary>Show as text</summary>${text}</details>`
  return html`${text}
<details class="original-layout linked"><summary>Show original layout</summary>${originalLayout(open)}</details>`
}

function originalLayout({ lovedOne, message }: OpenMessage): Html {
  return html`<p class="hint">Images are blocked so senders can’t tell you opened this.</p>
<iframe${message.body.length < SHORT_LETTER && html` class="short"`} sandbox="allow-popups allow-popups-to-escape-sandbox" loading="lazy" referrerpolicy="no-referrer" src="/inbox/${lovedOne.id}/${message.message.id}/original" title="Original layout"></iframe>`
}

function messageFacts({ open, clock }: OpenMessageData): Html {
  const { lovedOne } = open
  const { message, authenticity, sentAt } = open.message
  const { sender, receivedAt } = message
  const original = originalOf(message)
  const verdict = checkWords(message.check, domainOf(sender?.address ?? '') || 'the sender')
  return html`<div class="message-head">
<p class="who">${person(sender)}</p>
${original && forwarded(original, sender)}
<p class="hint">For ${initialsBadge(lovedOne.name, lovedOne.position)} <bdi>${lovedOne.name}</bdi> · ${receivedAt && whenOf(receivedAt, clock)} · ${categoryWords(message.category).label}</p>
<details class="authenticity linked ${verdict.kind}">
<summary><span class="badge-word">${verdict.label}</span></summary>
<p>${verdict.text}${original && ' This is about the person who forwarded it. We can’t check the original sender.'}</p>
${authenticity && html`<p class="hint">Checks: SPF ${authenticity.spf}, DKIM ${authenticity.dkim}, DMARC ${authenticity.dmarc}, ARC ${authenticity.arc}${authenticity.sealedBy && html` (sealed by <bdi>${authenticity.sealedBy}</bdi>)`}.${sentAt && html` Sent ${whenOf(sentAt, clock)}.`}</p>`}
</details>
</div>`
}

function forwarded({ writer, isVerified }: Original, sender: Mailbox | undefined): Html {
  if (isVerified)
    return html`<p class="hint">Forwarded by <bdi>${senderName(sender)}</bdi>, originally from ${person(writer)}</p>`
  return html`<p class="hint">The message says ${person(writer)} wrote it. We can’t check that.</p>`
}

function person(mailbox: Mailbox | undefined): Html {
  const [name, address] = [senderName(mailbox), addressBeside(mailbox)]
  if (name === mailbox?.address) return html`<bdi>${name}</bdi>`
  return html`<strong><bdi>${name}</bdi></strong>${address !== '' && html` <span class="hint address-of"><bdi>${address}</bdi></span>`}`
}

function forwardingRequest({ message, lovedOne }: OpenMessage): Html | undefined {
  const { forwardingConfirmation: confirmation } = message
  if (confirmation === undefined) return undefined
  return html`<section class="notice" aria-labelledby="request">
<h2 id="request">Request from ${providerName(confirmation.provider)} to forward mail to <bdi>${lovedOne.name}</bdi>’s inbox</h2>
${confirmationBox({ confirmation, isAuthentic: isVerified(message.message) })}
</section>`
}

function messageTools({ list, open }: OpenMessageData): Html {
  const path = `/inbox/${open.lovedOne.id}/${open.message.message.id}`
  const current = categoryWords(open.message.message.category).name
  return html`<section class="message-tools" aria-label="More actions">
${
  list.workspace.canWrite &&
  html`<form class="filing" method="post" action="${path}/category">
<label for="filed">Category</label>
<select id="filed" name="category">${CATEGORY_WORDS.map(({ name, label }) => html`<option value="${name}"${name === current && html` selected`}>${label}</option>`)}</select>
<button class="second">Change category</button>
</form>`
}
<form method="post" action="${path}/unread"><button class="quiet">Mark as unread</button></form>
<button class="quiet" type="button" data-print hidden>Print</button>
</section>`
}
