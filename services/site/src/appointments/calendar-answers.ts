import {
  type CalendarAnswer,
  type CalendarRequest,
  DeliveryState,
  type ListCalendarRequestsResponse,
} from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { messagePath } from '../shell/inbox-paths.ts'
import { whenOf } from '../shell/moment.ts'
import { withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { mayPass } from '../shell/refusal.ts'
import { asPerson } from '../shell/session.ts'
import { type Visit, withTimeout } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'
import { eventTime } from './appointment-words.ts'

/** The page does not wait longer for the file. */
const TIMEOUT_MS = 1000

type Wanted = { lovedOneId: string; messageId: string; uidHash?: string }

/** Reads the invitations of a message and the family’s answers; nothing and `isLate` while that fails. */
export async function readCalendarRequests(
  ctx: Context,
  visit: Visit,
  { session }: Workspace,
  { uidHash = '', ...ids }: Wanted,
): Promise<ListCalendarRequestsResponse & { isLate: boolean }> {
  const person = asPerson(session, withTimeout(visit, TIMEOUT_MS))
  const request = ctx.inbox.listCalendarRequests({ ...ids, uidHash }, person)
  return request.then(
    (found) => ({ ...found, isLate: false }),
    (error) => ({ requests: [], answers: [], isLate: mayPass(error) }),
  )
}

type AnswersData = {
  ids: Pick<Wanted, 'lovedOneId' | 'messageId'>
  requests: CalendarRequest[]
  answers: CalendarAnswer[]
  canWrite: boolean
  /** Of the list that the message was opened from. */
  listQuery?: Record<string, string>
  /** Set for an event that the family canceled: nobody says that they are coming. */
  isCanceled?: boolean
}

/** Draws the answers sent so far, and the buttons to send another. */
export function calendarAnswers(data: AnswersData, clock: ReaderClock): Html | undefined {
  const { requests, answers, canWrite } = data
  if (answers.length === 0 && (requests.length === 0 || !canWrite)) return undefined
  return html`<div class="calendar-answers">
${answers.length > 0 && html`<ul>${answers.map((answer) => html`<li>${answerWords(answer, requests, clock)}</li>`)}</ul>`}
${canWrite && requests.map((request) => html`${requests.length > 1 && html`<p><bdi>${request.title || 'Event without a title'}</bdi>, ${eventTime({ start: request.start, end: undefined }, clock)}</p>`}${links(request, data)}`)}
</div>`
}

const DELIVERY: Partial<Record<DeliveryState, string>> = {
  [DeliveryState.FAILED]: 'It was not delivered.',
  [DeliveryState.UNKNOWN]: 'It may not have been delivered.',
}

function answerWords(answer: CalendarAnswer, requests: CalendarRequest[], clock: ReaderClock): Html {
  const { name, to, coming, sentAt, delivery, requestId } = answer
  const isEarlier = requests.length > 0 && !requests.some(({ id }) => id === requestId)
  return html`<bdi>${name}</bdi> told <bdi>${to}</bdi> that you ${coming ? 'are coming' : 'can’t come'}${sentAt && html` <span class="hint">(${whenOf(sentAt, clock)})</span>`}${isEarlier && ', before the invitation changed'}. ${DELIVERY[delivery]}`
}

function links(request: CalendarRequest, { ids, answers, listQuery, isCanceled = false }: AnswersData): Html {
  const hrefOf = (coming: 'yes' | 'no') =>
    withQuery(`${messagePath(ids)}/answer`, { ...listQuery, request: request.id, coming })
  const last = answers.findLast(({ requestId }) => requestId === request.id)
  // If several addresses are invited, each may be answered for.
  const isSettled = last !== undefined && last.delivery !== DeliveryState.FAILED && request.attendee !== ''
  const isTold = (coming: boolean) => isSettled && last.coming === coming
  return html`<p class="row">
${!isCanceled && !isTold(true) && html`<a class="button second" href="${hrefOf('yes')}">Tell them we’re coming</a>`}
${!isTold(false) && html`<a class="button second" href="${hrefOf('no')}">Tell them we can’t come</a>`}
</p>`
}
