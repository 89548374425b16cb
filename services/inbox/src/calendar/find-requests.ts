import { type CalendarRequest, toRequest } from '@family-inbox/mail-reader/calendar/to-requests'
import { foldEmail } from '@family-inbox/service-kit/rpc/text-rules'
import type { Context } from '../context.ts'
import { publicIdOf } from '../models/message.ts'
import type { CalendarAnswer, Reply } from '../models/reply.ts'
import { isOwnAddress } from '../own-address.ts'
import type { RepliedMessage } from '../replying/reply-recipient.ts'
import { findCalendar, findFiles } from './find-calendar.ts'

const MAX_REQUESTS = 10
const MAX_ANSWERS = 100

/** The invitations of a message that can still be answered. The file may name any organizer, but mail to us would be a loop. */
export async function findRequests(
  ctx: Context,
  workspaceId: string,
  message: RepliedMessage,
  signal: AbortSignal,
): Promise<CalendarRequest[]> {
  const ids = { messageId: publicIdOf(message), lovedOneId: message.lovedOneId }
  const files = await findCalendar(ctx, workspaceId, ids, await findFiles(ctx, workspaceId, ids), signal)
  const requests = files.flatMap(({ events }) => events.flatMap((event) => toRequest(event) ?? []))
  const now = new Date()
  return [...new Map(requests.map((request) => [request.id, request])).values()]
    .filter(({ organizer, endsAt }) => (endsAt ?? now) >= now && !isOwnAddress(ctx.config, organizer.address))
    .slice(0, MAX_REQUESTS)
}

/** The invited address that the mail was sent to, or the only one; undefined when nobody can tell. */
export function invitedAddress(
  { attendees }: Pick<CalendarRequest, 'attendees'>,
  { to }: Pick<RepliedMessage, 'to'>,
): string | undefined {
  const recipients = new Set(to.map(({ address }) => foldEmail(address)))
  const named = attendees.filter(({ address }) => recipients.has(address))
  const [only, ...others] = named.length > 0 ? named : attendees
  return others.length === 0 ? only?.address : undefined
}

export type Answer = Reply & { calendar: CalendarAnswer }

/** Oldest first. */
export async function findAnswers(
  { replies }: Context,
  { workspaceId, lovedOneId }: Pick<Reply, 'workspaceId' | 'lovedOneId'>,
  uidHashes: string[],
): Promise<Answer[]> {
  if (uidHashes.length === 0) return []
  return replies
    .find({ workspaceId, lovedOneId, 'calendar.uidHash': { $in: uidHashes } })
    .sort({ createdAt: -1 })
    .limit(MAX_ANSWERS)
    .lean<Answer[]>()
    .then((newest) => newest.toReversed())
}

/** The latest answer to one version of an event. */
export function lastAnswer(requestId: string, answers: Answer[]): Answer | undefined {
  const own = answers.filter(({ calendar }) => calendar.requestId === requestId)
  return own.toSorted((a, b) => a.calendar.turn - b.calendar.turn).at(-1)
}

export function nextAnswerNumber(last: Answer | undefined): number {
  return last === undefined ? 0 : last.calendar.turn + 1
}
