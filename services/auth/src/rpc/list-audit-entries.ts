import type {
  AuditCount,
  AuditEntry,
  ListAuditEntriesRequest,
  ListAuditEntriesResponse,
} from '@family-inbox/proto/auth/v1/auth'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { cutPage, olderThan, readPageSize } from '@family-inbox/service-kit/rpc/page'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { fromWallTime, isTimeZone, toWallTime } from '@family-inbox/service-kit/time/time-zone'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import { findCredentials } from '../assistants/find-credentials.ts'
import type { Context } from '../context.ts'
import { countCallsBy, type AuditEntry as Row, visibleEntries } from '../models/audit-entry.ts'

/** A day of several busy agents. More would take too long. */
const MAX_COUNTED = 20_000

/** Members see the calls of their own agents, or what they did themselves; the owner sees all. Assistants never see what people did. */
export function listAuditEntries(ctx: Context): Handler<ListAuditEntriesRequest, ListAuditEntriesResponse> {
  return async (request, call) => {
    const people = request.people ?? false
    if (people) requirePerson(call)
    const member = await ctx.requireMember(call)
    const limit = readPageSize(request.pageSize, { byDefault: 50, max: 200 })
    const chosen = [visibleEntries(member, { people }), chosenBy(request)]
    const rows = await ctx.auditEntries
      .find({ $and: [...chosen, olderThan('startedAt', request.pageToken)] })
      .sort({ startedAt: -1, _id: -1 })
      .limit(limit + 1)
      .lean()
    const { page, nextPageToken } = cutPage(rows, limit, (row) => row.startedAt)
    const counts = request.timeZone === undefined ? [] : await countDays(ctx, chosen, page, request.timeZone)
    const credentials = await findCredentials(ctx, member.workspaceId, [...page, ...counts])
    return { entries: page.map(toAuditEntry), nextPageToken, credentials, counts }
  }
}

function chosenBy({
  tool,
  outcomes,
  personId,
  credentialId,
  messageId,
  day,
  timeZone = 'UTC',
}: ListAuditEntriesRequest) {
  if (!isTimeZone(timeZone)) throw invalidArgument('timeZone', 'timeZone must be an IANA time zone.')
  return {
    ...(tool !== '' && { tool }),
    ...(outcomes.length > 0 && { outcome: { $in: outcomes } }),
    ...(personId !== '' && { personId }),
    ...(credentialId !== undefined && { credentialId }),
    ...(messageId !== undefined && { 'message.messageId': messageId }),
    ...(day !== undefined && { startedAt: within(requireDay(day), requireDay(day), timeZone) }),
  }
}

function requireDay(day: string): number {
  const wall = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(wall)) throw invalidArgument('day', 'day must be a day, such as 2026-05-14.')
  return wall
}

/** From the start of the first day to the end of the last, as shown by clocks in the time zone. */
function within(firstDay: number, lastDay: number, timeZone: string) {
  return { $gte: fromWallTime(firstDay, timeZone), $lt: fromWallTime(lastDay + DAY_MS, timeZone) }
}

/** Counts the whole days that a page shows, with what other pages have of them. */
async function countDays(ctx: Context, chosen: object[], page: Row[], timeZone: string): Promise<AuditCount[]> {
  const dayOf = ({ startedAt }: Row) => Math.floor(toWallTime(startedAt, timeZone) / DAY_MS) * DAY_MS
  const days = [...new Set(page.map(dayOf))]
  const [newest, oldest] = [days[0], days.at(-1)]
  if (newest === undefined || oldest === undefined) return []
  const counts = await ctx.auditEntries.aggregate<AuditCount>([
    { $match: { $and: [...chosen, { startedAt: within(oldest, newest, timeZone) }] } },
    { $sort: { startedAt: -1, _id: -1 } },
    { $limit: MAX_COUNTED },
    { $set: { day: dayAmong(days, timeZone) } },
    ...countCallsBy('day'),
  ])
  const isCut = counts.reduce((sum, { calls }) => sum + calls, 0) === MAX_COUNTED
  const oldestCounted = counts.map(({ day }) => day).sort()[0]
  return isCut ? counts.filter(({ day }) => day !== oldestCounted) : counts
}

/** The day of an entry, of those given newest first. MongoDB's own time zones may be older than ours. */
function dayAmong(days: number[], timeZone: string) {
  const later = {
    $filter: { input: days.map((day) => fromWallTime(day, timeZone)), cond: { $gt: ['$$this', '$startedAt'] } },
  }
  return { $arrayElemAt: [days.map((day) => new Date(day).toISOString().slice(0, 10)), { $size: later }] }
}

function toAuditEntry({ _id, ...row }: Row): AuditEntry {
  return { id: _id, ...row }
}
