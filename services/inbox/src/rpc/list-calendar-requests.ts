import type { CalendarRequest as FoundRequest } from '@family-inbox/mail-reader/calendar/to-requests'
import { answerText } from '@family-inbox/mail-reader/calendar/write-answer'
import type {
  CalendarAnswer,
  CalendarRequest,
  ListCalendarRequestsRequest,
  ListCalendarRequestsResponse,
} from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { hashUid, occurrenceKey } from '@family-inbox/workspace-kit/calendar-changes'
import {
  type Answer,
  findAnswers,
  findRequests,
  invitedAddress,
  lastAnswer,
  nextAnswerNumber,
} from '../calendar/find-requests.ts'
import type { Context } from '../context.ts'
import { findFooter } from '../models/reply-footer.ts'
import { isVerified } from '../models/reply-to.ts'
import { replySubject } from '../replying/queue-reply.ts'
import { findRepliedMessage, type RepliedMessage } from '../replying/reply-recipient.ts'
import { findDeliveries } from '../sending/find-deliveries.ts'

export function listCalendarRequests(ctx: Context): Handler<ListCalendarRequestsRequest, ListCalendarRequestsResponse> {
  return async (request, call) => {
    const { lovedOneId } = request
    const { workspaceId } = await ctx.requireMember(call, { lovedOneId })
    const message = await findRepliedMessage(ctx, workspaceId, request)
    const found = await findRequests(ctx, workspaceId, message, call.signal)
    const uidHashes = [...found.map(({ uid }) => hashUid(uid)), ...(request.uidHash === '' ? [] : [request.uidHash])]
    const [answers, footer] = await Promise.all([
      findAnswers(ctx, { workspaceId, lovedOneId }, uidHashes),
      findFooter(ctx, workspaceId, message),
    ])
    return {
      requests: found.map((one) => ({
        ...toRequest(one, message),
        turn: nextAnswerNumber(lastAnswer(one.id, answers)),
        footer,
      })),
      answers: await toAnswers(ctx, answers),
    }
  }
}

function toRequest(found: FoundRequest, message: RepliedMessage): Omit<CalendarRequest, 'turn'> {
  const { id, uid, recurrenceId, title, start, organizer, attendees } = found
  return {
    id,
    uid,
    uidHash: hashUid(uid),
    occurrence: recurrenceId ? occurrenceKey(recurrenceId) : '',
    title,
    start: { at: start.at, local: start.local },
    organizer: organizer.address,
    organizerName: organizer.name,
    verified: isVerified(message, organizer.address),
    attendees: attendees.map(({ address }) => address),
    attendee: invitedAddress(found, message) ?? '',
    subject: replySubject(message),
    comingText: answerText(found, true),
    notComingText: answerText(found, false),
  }
}

async function toAnswers(ctx: Context, answers: Answer[]): Promise<CalendarAnswer[]> {
  const mails = answers.map(({ _id, mailQueuedAt }) => ({ _id, queuedAt: mailQueuedAt }))
  const deliveryOf = await findDeliveries(ctx, mails)
  return answers.map(({ _id, calendar, to, name, createdAt, mailQueuedAt }) => ({
    replyId: _id,
    requestId: calendar.requestId,
    uidHash: calendar.uidHash,
    occurrence: calendar.recurrenceId ? occurrenceKey(calendar.recurrenceId) : '',
    coming: calendar.coming,
    attendee: calendar.attendee,
    to,
    name,
    sentAt: createdAt,
    delivery: deliveryOf({ _id, queuedAt: mailQueuedAt }),
  }))
}
