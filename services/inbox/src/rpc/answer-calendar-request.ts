import type { CalendarRequest } from '@family-inbox/mail-reader/calendar/to-requests'
import { answerText } from '@family-inbox/mail-reader/calendar/write-answer'
import type { Membership } from '@family-inbox/proto/carecircle/v1/care_circle'
import {
  type AnswerCalendarRequestRequest,
  type AnswerCalendarRequestResponse,
  DeliveryState,
} from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import { hashUid } from '@family-inbox/workspace-kit/calendar-changes'
import { type Answer, findAnswers, findRequests, lastAnswer, nextAnswerNumber } from '../calendar/find-requests.ts'
import type { Context } from '../context.ts'
import { requireActiveAddress } from '../models/inbox-address.ts'
import type { CalendarAnswer } from '../models/reply.ts'
import { findFooter } from '../models/reply-footer.ts'
import { isVerified } from '../models/reply-to.ts'
import { tryQueueReply } from '../replying/queue-reply.ts'
import { findRepliedMessage, type RepliedMessage } from '../replying/reply-recipient.ts'
import { type NewReply, storeReply } from '../replying/store-reply.ts'
import { findDeliveries } from '../sending/find-deliveries.ts'

type Request = AnswerCalendarRequestRequest

/** A reply with a calendar part. Its key names the turn: whoever stores it first answers, and the others learn who did. */
export function answerCalendarRequest(ctx: Context): Handler<Request, AnswerCalendarRequestResponse> {
  return async (request, call) => {
    const member = await ctx.requireMember(call, { lovedOneId: request.lovedOneId, write: true })
    requirePerson(call)
    const message = await findRepliedMessage(ctx, member.workspaceId, request)
    await requireActiveAddress(ctx, member.workspaceId, message)
    const found = await findRequests(ctx, member.workspaceId, message, call.signal)
    const asked = requireRequest(found, request)
    const reply = await toReply(ctx, member, message, asked, request)
    await requireChange(ctx, reply)
    const stored = await storeReply(ctx, reply, isVerified(message, reply.to)).catch((error) =>
      toAlreadyAnswered(ctx, reply, error),
    )
    if (stored.personId !== member.personId) throw answeredBefore(stored as Answer)
    await tryQueueReply(ctx, stored)
    return { replyId: stored._id, to: stored.to }
  }
}

function requireRequest(found: CalendarRequest[], { requestId }: Request): CalendarRequest {
  const asked = found.find(({ id }) => id === requestId)
  if (asked !== undefined) return asked
  throw new StatusError('FAILED_PRECONDITION', 'This invitation can’t be answered by email. Call them instead.')
}

type NewAnswer = NewReply & { calendar: CalendarAnswer }

async function toReply(
  ctx: Context,
  { workspaceId, personId, name }: Membership,
  message: RepliedMessage,
  asked: CalendarRequest,
  { coming, turn, attendee }: Request,
): Promise<NewAnswer> {
  if (!asked.attendees.some(({ address }) => address === attendee))
    throw invalidArgument('attendee', 'attendee must be one of the invited addresses.')
  const { id: requestId, uid, recurrenceId, kind, sequence, organizer } = asked
  const footer = await findFooter(ctx, workspaceId, message)
  const said = { requestId, uid, uidHash: hashUid(uid), kind, sequence, attendee, coming, turn }
  return {
    workspaceId,
    lovedOneId: message.lovedOneId,
    messageRowId: message._id,
    personId,
    name,
    to: organizer.address,
    body: answerText(asked, coming),
    ...(footer !== undefined && { footer }),
    calendar: { ...said, ...(recurrenceId && { recurrenceId }) },
    // No request can contain a line break.
    idempotencyKey: `calendar\n${message.lovedOneId}\n${requestId}\n${turn}`,
  }
}

/** The next turn must change the last answer, unless that did not arrive. */
async function requireChange(ctx: Context, reply: NewAnswer): Promise<void> {
  const { calendar } = reply
  const last = await findLast(ctx, reply)
  const next = nextAnswerNumber(last)
  if (calendar.turn < 0 || calendar.turn > next)
    throw new StatusError('FAILED_PRECONDITION', 'This invitation has changed. Look at it again.')
  if (last === undefined || calendar.turn < next) return
  if (last.calendar.coming !== calendar.coming || last.calendar.attendee !== calendar.attendee) return
  const mail = { _id: last._id, ...(last.mailQueuedAt && { queuedAt: last.mailQueuedAt }) }
  if ((await findDeliveries(ctx, [mail]))(mail) !== DeliveryState.FAILED) throw answeredBefore(last)
}

async function findLast(ctx: Context, reply: NewAnswer): Promise<Answer | undefined> {
  const { uidHash, requestId } = reply.calendar
  return lastAnswer(requestId, await findAnswers(ctx, reply, [uidHash]))
}

/** The error of an answer whose number somebody else’s answer has. */
async function toAlreadyAnswered(ctx: Context, reply: NewAnswer, error: unknown): Promise<never> {
  if (!(error instanceof StatusError) || error.status !== 'ALREADY_EXISTS') throw error
  const last = await findLast(ctx, reply)
  throw last === undefined ? error : answeredBefore(last)
}

function answeredBefore({ name, to, calendar }: Pick<Answer, 'name' | 'to' | 'calendar'>): StatusError {
  const answer = calendar.coming ? 'is coming' : 'can’t come'
  return new StatusError(
    'FAILED_PRECONDITION',
    `${name} already told ${to} that your family ${answer}. Nothing more was sent.`,
  )
}
