import type { ListCalendarRequestsResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { calendarAnswers } from '../appointments/calendar-answers.ts'
import { confirmationBox, providerName } from '../forwarding/confirmation-box.ts'
import { errorSummary } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { assistantOf, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { stopNotice } from '../shell/stopped-recipient.ts'
import { attachmentList } from './attachment-list.ts'
import { replyBox } from './composer.ts'
import { conversation } from './conversation.ts'
import { inboxSection } from './inbox.ts'
import { calendarLosses, type FoundInvitation, type FoundInvitations, invitationCard } from './invitation-card.ts'
import { letter } from './letter.ts'
import { listPane } from './list-pane.ts'
import { listHref, listQueryOf, type MailList, withList } from './mail-list.ts'
import { type MessageActivity, messageActivityLines } from './message-activity.ts'
import { appointmentLinks, dateOffers, type MessageAppointments, untakenNote } from './message-appointments.ts'
import { messageHead } from './message-head.ts'
import { type MessageTask, taskOffers } from './message-tasks.ts'
import { type NoteForm, notesSection } from './notes.ts'
import type { OpenMessage } from './read-message.ts'
import { reminderOffer, remindersSection } from './reminders.ts'
import type { ReplyForm } from './reply.ts'
import { riskyAsks, scamBox } from './scam-box.ts'
import { isVerified, originalOf } from './sender.ts'
import { statusBar } from './status-bar.ts'
import { undoForms } from './undo-forms.ts'

type OpenMessageData = {
  list: MailList
  open: OpenMessage
  invitations: FoundInvitations
  appointments: MessageAppointments
  tasks: MessageTask[]
  activity: MessageActivity
  calendar: ListCalendarRequestsResponse & { isLate: boolean }
  clock: ReaderClock
  form: ReplyForm
  note: NoteForm
  /** Whether the reader knows the sender of a letter that may be a scam. */
  hasLinks: boolean
}

export function openMessagePage(data: OpenMessageData): Page {
  const { list, open, invitations, appointments, tasks, activity, clock, form, note } = data
  const errors = { ...form.errors, ...note.errors }
  const { message, attachments, conversationId } = open.message
  const { earlier, later } = conversation(list, open, clock)
  return sectionPage(inboxSection(list), {
    title: message.subject || 'No subject',
    isWide: true,
    hasErrors: Object.keys(errors).length > 0,
    undo: undoForms(list, open, clock),
    main: html`<div class="panes is-open">
<article class="pane message" id="message" data-title="${message.subject || 'No subject'}">
<p class="up"><a href="${listHref(list.query)}">Back to inbox</a></p>
${errorSummary(errors)}
<h1 tabindex="-1"><bdi>${message.subject || 'No subject'}</bdi></h1>
${statusBar(list, open, clock)}
${earlier}
${messageHead(open, clock)}
${scamBox(message, data.hasLinks ? undefined : withQuery(withList(`/inbox/${open.lovedOne.id}/${message.id}`, list.query), { links: '1' }))}
${forwardingRequest(open)}
${invitationCards(data)}
${untakenNote(appointments.notTaken, { lovedOneId: open.lovedOne.id, messageId: message.id }, list.workspace.canWrite)}
${appointmentLinks(appointments.appointments, clock) ?? offers(data)}
${taskOffers(tasks, { lovedOneId: open.lovedOne.id, messageId: message.id }, clock)}
${reminderOffer(list, open, clock)}
${letter(open, data.hasLinks || riskyAsks(message).length === 0)}
${attachmentList({ path: `/inbox/${open.lovedOne.id}/${message.id}`, attachments, onCards: invitations.shown })}
${later}
${messageActivityLines(activity, list.workspace, clock)}
${waitingReplies(open)}
${stopNotice({ stop: open.message.stop, workspace: list.workspace, clock, action: withList(`/inbox/${open.lovedOne.id}/${message.id}/allow`, list.query) })}
${replyBox(list, open, form)}
${notesSection(list, open, note, clock)}
${remindersSection(list, open, clock)}
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
  const { canWrite } = list.workspace
  return calendarAnswers({ ids, requests, answers, canWrite, listQuery: listQueryOf(list.query) }, clock)
}

/** What could not be read right now, inbox.js looks for again. */
function invitationCards(data: OpenMessageData): Html | undefined {
  const { list, open, invitations, calendar, clock } = data
  const { cards, losses } = invitations
  const isLate = invitations.isLate || calendar.isLate
  if (cards.length === 0 && losses.length === 0 && !isLate) return undefined
  const ids = { lovedOneId: open.lovedOne.id, messageId: open.message.message.id }
  return html`<div class="invitations" id="invitations">
${cards.map((card) => invitationCard(card, clock, { answers: answersOn(card, data), isProven: isWriterProven(open) }))}
${isLate && html`<p class="notice late">The invitation is taking a while to read. <a href="">Try again</a></p>`}
${calendarLosses({ ...ids, cards, losses, canWrite: list.workspace.canWrite })}
</div>`
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

function forwardingRequest({ message, lovedOne }: OpenMessage): Html | undefined {
  const { forwardingConfirmation: confirmation } = message
  if (confirmation === undefined) return undefined
  return html`<section class="notice" aria-labelledby="request">
<h2 id="request">Request from ${providerName(confirmation.provider)} to forward mail to <bdi>${lovedOne.name}</bdi>’s inbox</h2>
${confirmationBox({ confirmation, isAuthentic: isVerified(message.message) })}
</section>`
}
