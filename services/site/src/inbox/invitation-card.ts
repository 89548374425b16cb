import {
  CalendarLoss,
  type CalendarTask,
  type Invitation,
  InvitationState,
  type PreviewAttachmentResponse,
  PreviewKind,
} from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { eventTime, meetingFacts } from '../appointments/appointment-words.ts'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { calendarDay } from '../shell/moment.ts'
import { withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { mayPass } from '../shell/refusal.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'
import { readPreview } from './preview.ts'
import type { OpenMessage } from './read-message.ts'

/** The page does not wait longer for what its files say. */
const TIMEOUT_MS = 1000
/** Mail programs send the same event as text and as a file. */
const MAX_READ = 3

export type FoundInvitation = { invitation: Invitation; fileHref: string }

/** What a file of a message says is to be done; named by the attachment and its place in it. */
export type FoundTask = { text: string; day: string; index: number; place: number }

export type FoundInvitations = {
  cards: FoundInvitation[]
  losses: CalendarLoss[]
  tasks: FoundTask[]
  /** The attachments that the cards show completely, by index. */
  shown: number[]
  /** Whether a file could not be read right now. */
  isLate: boolean
}

/** The events in a message's calendar files, each once, and what of the files could not be read. */
export async function readInvitations(
  ctx: Pick<Context, 'inbox'>,
  visit: Visit,
  { session }: Workspace,
  { lovedOne, message }: OpenMessage,
): Promise<FoundInvitations> {
  const { id: messageId } = message.message
  const signal = AbortSignal.any([visit.signal, AbortSignal.timeout(TIMEOUT_MS)])
  const files = message.attachments.flatMap(({ preview }, index) => (preview === PreviewKind.INVITATION ? [index] : []))
  const found = await Promise.all(
    files.slice(0, MAX_READ).map(async (index) => {
      const request = { lovedOneId: lovedOne.id, messageId, index, page: 0, large: false }
      const read = await readPreview(ctx, request, { token: session.principal, signal }).catch(lossOf)
      return { isLate: false, ...read, index, fileHref: `/inbox/${lovedOne.id}/${messageId}/files/${index}` }
    }),
  )
  const cards = found.flatMap(({ invitation, fileHref }) => (invitation ? [{ invitation, fileHref }] : []))
  return {
    cards: [...new Map(cards.map((card) => [`${card.invitation.uid} ${card.invitation.state}`, card])).values()],
    losses: [...new Set(found.flatMap(({ losses }) => losses))],
    tasks: tasksOf(found),
    isLate: found.some(({ isLate }) => isLate),
    shown: found.flatMap(({ invitation, losses, index }) => (invitation && losses.length === 0 ? [index] : [])),
  }
}

function tasksOf(found: { index: number; tasks: CalendarTask[] }[]): FoundTask[] {
  const all = found.flatMap(({ index, tasks }) => tasks.map((task, place) => ({ ...task, index, place })))
  return [...new Map(all.toReversed().map((task) => [`${task.day} ${task.text}`, task])).values()].toReversed()
}

/** A file that cannot be read within its limits. One that cannot be read right now stays a download. */
function lossOf(
  error: unknown,
): Pick<PreviewAttachmentResponse, 'invitation' | 'losses' | 'tasks'> & { isLate: boolean } {
  const isUnreadable = error instanceof StatusError && error.status === 'FAILED_PRECONDITION'
  return { invitation: undefined, losses: isUnreadable ? [CalendarLoss.ALL] : [], tasks: [], isLate: mayPass(error) }
}

type LossData = Pick<FoundInvitations, 'cards' | 'losses'> & {
  lovedOneId: string
  messageId: string
  canWrite: boolean
}

/** Names what the reader must look up, and the way to add it by hand. */
export function calendarLosses({ cards, losses, lovedOneId, messageId, canWrite }: LossData): Html[] {
  const has = (loss: CalendarLoss) => losses.includes(loss)
  const href = withQuery('/appointments/new', { for: lovedOneId, message: messageId })
  const add = (what: string) => canWrite && html` <a href="${href}">Add ${what} yourself</a>.`
  const isPart = has(CalendarLoss.EVENTS) || (has(CalendarLoss.ALL) && cards.length > 0)
  const words = [
    has(CalendarLoss.ALL) && !isPart && html`This calendar file could not be read.${add('the appointment')}`,
    isPart && html`Some appointments in this calendar file could not be read.${add('them')}`,
    has(CalendarLoss.RULE) &&
      html`We could not read how often an appointment repeats. Only its first date is in the calendar.${add('the others')}`,
    has(CalendarLoss.DETAILS) &&
      html`Some details in this calendar file could not be read. Compare the appointment with the message.`,
  ]
  return words.flatMap((word) => (word ? [html`<p class="notice">${word}</p>`] : []))
}

const LABELS: Record<InvitationState, string> = {
  [InvitationState.UNSPECIFIED]: 'Invitation',
  [InvitationState.CHANGED]: 'Changed invitation',
  [InvitationState.CANCELED]: 'Canceled',
  [InvitationState.ANSWER]: 'Answer to an invitation',
  [InvitationState.UNRECOGNIZED]: 'Invitation',
}

type CardExtras = {
  answers?: Html | undefined
  /** Whether the sender is verified, so that the address for a video visit may be a link. */
  isProven?: boolean
}

export function invitationCard(
  { invitation, fileHref }: FoundInvitation,
  clock: ReaderClock,
  { answers, isProven = false }: CardExtras = {},
): Html {
  const { summary, location, organizer, state, moreEvents } = invitation
  const isCanceled = state === InvitationState.CANCELED
  const repeats = repetitionWords(invitation)
  return html`<section class="invitation${isCanceled && ' canceled'}" aria-label="${LABELS[state]}">
<p class="label">${LABELS[state]}</p>
<h2>${isCanceled ? html`<s><bdi>${summary || 'Event without a title'}</bdi></s>` : html`<bdi>${summary || 'Event without a title'}</bdi>`}</h2>
<dl>
<div><dt>When</dt><dd>${eventTime(invitation, clock)}${hasPassed(invitation, clock) && html` <span class="hint">This date has passed.</span>`}</dd></div>
${repeats !== '' && html`<div><dt>Repeats</dt><dd>${repeats}</dd></div>`}
${location !== '' && html`<div><dt>Where</dt><dd><bdi>${location}</bdi></dd></div>`}
${meetingFacts(invitation, isProven)}
${organizer !== '' && html`<div class="organizer"><dt>From</dt><dd><bdi>${organizer}</bdi></dd></div>`}
</dl>
${moreEvents > 0 && html`<p class="hint">The file has ${moreEvents === 1 ? '1 more event' : `${moreEvents} more events`}.</p>`}
${!isCanceled && html`<p><a class="button second" href="${fileHref}" download>Add to your calendar</a></p>`}
${answers}
</section>`
}

function hasPassed({ start, end, frequency }: Invitation, clock: ReaderClock): boolean {
  const last = end ?? start
  if (last === undefined || frequency !== '') return false
  return last.at === undefined ? last.local.slice(0, 10) < calendarDay(clock.now, clock) : last.at < clock.now
}

const UNITS: Record<string, string> = { daily: 'day', weekly: 'week', monthly: 'month', yearly: 'year' }

/** "Every week", "Every 2 weeks"; empty for a single event. */
export function repetitionWords({ frequency, interval }: Pick<Invitation, 'frequency' | 'interval'>): string {
  const unit = UNITS[frequency]
  if (unit === undefined) return ''
  return interval > 1 ? `Every ${interval} ${unit}s` : `Every ${unit}`
}
