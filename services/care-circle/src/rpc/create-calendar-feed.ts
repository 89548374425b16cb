import { createHmac, type KeyObject } from 'node:crypto'
import type {
  CreateCalendarFeedRequest,
  CreateCalendarFeedResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { deriveId, newId } from '@family-inbox/service-kit/ids/ids'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine } from '@family-inbox/service-kit/rpc/text-rules'
import type { Context } from '../context.ts'
import { type CalendarFeed, feedToWire, hashFeedToken } from '../models/calendar-feed.ts'
import { requireMember } from '../require-member.ts'

const MOST = 20

/** Viewers, too: it only reads. The token is shown until a calendar program has used it. */
export function createCalendarFeed(ctx: Context): Handler<CreateCalendarFeedRequest, CreateCalendarFeedResponse> {
  return async ({ lovedOneId, withDetails, idempotencyKey }, call) => {
    const rule = lovedOneId === '' ? {} : { lovedOneId }
    const { workspaceId, personId, since = new Date() } = await requireMember(ctx, call, rule)
    requireRecentSignIn(call)
    const key = optionalLine('idempotencyKey', idempotencyKey, 200)
    const _id = key === '' ? newId('feed') : deriveId('feed', [workspaceId, personId, key])
    const token = deriveFeedToken(ctx.config.invitationKey, _id)
    const asked = { workspaceId, personId, memberSince: since, lovedOneId, withDetails }
    const now = new Date()
    const row: CalendarFeed = { _id, ...asked, tokenHash: hashFeedToken(token), createdAt: now, mailDueAt: now }
    await requireBelowLimit(ctx, row)
    await insertOnce(ctx.calendarFeeds.collection, [row])
    ctx.wake.newFeeds()
    const stored = await ctx.calendarFeeds.findOne({ _id, workspaceId, personId, revokedAt: null }).lean()
    if (stored === null) throw new StatusError('NOT_FOUND', 'This calendar address was revoked. Create another one.')
    // After a change of the key, another token derives from the same id.
    const isShown = stored.readAt === undefined && stored.tokenHash === row.tokenHash
    return { feed: feedToWire(stored), token: isShown ? token : '' }
  }
}

async function requireBelowLimit(ctx: Context, { _id, workspaceId, personId }: CalendarFeed): Promise<void> {
  const others = await ctx.calendarFeeds.countDocuments({ workspaceId, personId, revokedAt: null, _id: { $ne: _id } })
  if (others < MOST) return
  throw new StatusError('FAILED_PRECONDITION', `You have ${MOST} calendar addresses. Revoke one first.`)
}

const TOKEN_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TOKEN_LENGTH = 32

/** 160 bits in Crockford's base 32. A repeated request gets the same token, although only its hash is stored. */
function deriveFeedToken(key: KeyObject, id: string): string {
  const digest = createHmac('sha256', key).update(`calendar-feed ${id}`).digest()
  return [...digest.subarray(0, TOKEN_LENGTH)].map((byte) => TOKEN_ALPHABET[byte & 31]).join('')
}
