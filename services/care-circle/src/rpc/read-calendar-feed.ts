import type { ReadCalendarFeedRequest, ReadCalendarFeedResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { spendRateLimits } from '@family-inbox/service-kit/mongo/rate-limit'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { findEntries } from '../appointments/find-entries.ts'
import { writeCalendar } from '../appointments/write-calendar.ts'
import type { Context } from '../context.ts'
import { type CalendarFeed, hashFeedToken } from '../models/calendar-feed.ts'
import { memberId } from '../models/member.ts'
import { findOpenToDos } from '../to-dos/find-to-dos.ts'

const BEFORE_MS = 30 * DAY_MS
const MOST_ENTRIES = 1000
/** A gRPC message holds 4 MiB. */
const MAX_BYTES = 3_000_000
const WINDOW_MS = 10 * 60_000
/** Calendar programs come a few times an hour. Those of one provider share networks, so only wrong addresses count by network. */
const PER_FEED = 60
const WRONG_PER_NETWORK = 60
const REFUSAL = 'This calendar was read too often.'
const READ_EVERY_MS = 3_600_000
const TOKEN = /^[0-9a-z]{32}$/

/** Checks the membership at each request. */
export function readCalendarFeed(ctx: Context): Handler<ReadCalendarFeedRequest, ReadCalendarFeedResponse> {
  return async ({ token, clientAddress }, call) => {
    requireService(call, 'site')
    const feed = await findFeed(ctx, token)
    if (feed === undefined) {
      await spend(ctx, `calendar-network/${clientNetwork(clientAddress)}`, WRONG_PER_NETWORK)
      throw new StatusError('NOT_FOUND', 'There is no calendar at this address.')
    }
    await spend(ctx, `calendar-feed/${feed._id}`, PER_FEED)
    await rememberReading(ctx, feed)
    return { calendar: await write(ctx, feed) }
  }
}

/** Undefined for an unknown token, and when its owner is no longer a member or the loved one is gone. */
async function findFeed(ctx: Context, token: string): Promise<CalendarFeed | undefined> {
  if (!TOKEN.test(token)) return undefined
  const feed = await ctx.calendarFeeds.findOne({ tokenHash: hashFeedToken(token), revokedAt: null }).lean()
  if (feed === null) return undefined
  const { workspaceId, personId, lovedOneId } = feed
  const [member, lovedOne] = await Promise.all([
    ctx.members.findById(memberId(workspaceId, personId), { joinedAt: 1 }).lean(),
    lovedOneId === '' ? true : ctx.lovedOnes.exists({ _id: lovedOneId, workspaceId }),
  ])
  return member?.joinedAt.getTime() === feed.memberSince.getTime() && lovedOne ? feed : undefined
}

async function spend({ mailLimits }: Context, _id: string, most: number): Promise<void> {
  await spendRateLimits(mailLimits, [{ _id, windows: [{ most, ms: WINDOW_MS }], refusal: REFUSAL }], newId('read'))
}

async function rememberReading(ctx: Context, { _id, readAt }: CalendarFeed): Promise<void> {
  if (readAt && Date.now() - readAt.getTime() < READ_EVERY_MS) return
  await ctx.calendarFeeds.updateOne({ _id }, { $set: { readAt: new Date() } })
}

async function write(ctx: Context, { workspaceId, lovedOneId, withDetails }: CalendarFeed): Promise<string> {
  // By whole days, or the oldest ones would change the calendar from minute to minute.
  const today = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS)
  const from = new Date(today.getTime() - BEFORE_MS)
  const [ahead, recent, toDos, lovedOnes] = await Promise.all([
    findEntries(ctx, { workspaceId, lovedOneId, from: today }, { limit: MOST_ENTRIES }),
    findEntries(ctx, { workspaceId, lovedOneId, from, until: today }, { limit: MOST_ENTRIES }),
    findOpenToDos(ctx, { workspaceId, lovedOneId }),
    ctx.lovedOnes.find({ workspaceId }, { name: 1 }).sort({ createdAt: 1 }).lean(),
  ])
  const names = new Map(lovedOnes.map(({ _id, name }) => [_id, name]))
  const past = recent.filter(({ entry }) => entry.occurrence.endsAt < today).toReversed()
  // Entries ahead come first: the rest is left out if there is too much.
  const entries = [...ahead, ...past].slice(0, MOST_ENTRIES).map(({ entry }) => entry)
  return writeCalendar({ entries, toDos, names, withDetails, inboxUrl: ctx.config.inboxUrl, maxBytes: MAX_BYTES })
}
