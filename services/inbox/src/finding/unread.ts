import type { UnreadCount } from '@family-inbox/proto/inbox/v1/inbox'
import { type Count, countTogether } from '@family-inbox/service-kit/mongo/count-together'
import { tokenAfter } from '@family-inbox/service-kit/rpc/page'
import type { Context } from '../context.ts'
import { readMarkId } from '../models/read-mark.ts'
import type { Reader } from '../models/read-watermark.ts'
import { findMessageRefs, type MessageFilter, type MessageRef } from './find-messages.ts'

const MAX_UNREAD_COUNT = 100

const BATCH = 200
/** Covers all messages that can be read above the watermark, so a page is full unless there are no more. */
const MAX_BATCHES = 10

type Row = { _id: string; lovedOneId: string; receivedAt: Date }

export async function findUnread(
  { readMarks }: Pick<Context, 'readMarks'>,
  { personId }: Reader,
  watermarks: ReadonlyMap<string, Date>,
  rows: Row[],
): Promise<Set<string>> {
  const idOf = (row: Row) => readMarkId(personId, row._id)
  const marks = await readMarks.find({ _id: { $in: rows.map(idOf) } }, { read: 1 }).lean()
  const isRead = new Map(marks.map(({ _id, read }) => [_id, read]))
  const unread = rows.filter((row) => !(isRead.get(idOf(row)) ?? isBelowWatermark(watermarks, row)))
  return new Set(unread.map(({ _id }) => _id))
}

function isBelowWatermark(watermarks: ReadonlyMap<string, Date>, { lovedOneId, receivedAt }: Row): boolean {
  const watermark = watermarks.get(lovedOneId)
  return watermark !== undefined && receivedAt <= watermark
}

/** In each of these inboxes, exact below `MAX_UNREAD_COUNT`. Marked messages are counted with what else the caller counts. */
export async function countUnread(
  { messages }: Pick<Context, 'messages'>,
  { workspaceId }: Reader,
  watermarks: ReadonlyMap<string, Date>,
  marked: Record<string, number>,
): Promise<UnreadCount[]> {
  const inboxes = Array.from(watermarks, ([lovedOneId, watermark]) => {
    const readAbove = marked[`read ${lovedOneId}`] ?? 0
    const unreadBelow = marked[`unread ${lovedOneId}`] ?? 0
    const limit = readAbove + MAX_UNREAD_COUNT - unreadBelow
    const where = { workspaceId, lovedOneId, receivedAt: { $gt: watermark } }
    return { lovedOneId, readAbove, unreadBelow, above: { from: messages, where, limit } }
  })
  const counted = inboxes.filter(({ unreadBelow }) => unreadBelow < MAX_UNREAD_COUNT)
  const above = await countTogether(Object.fromEntries(counted.map((inbox) => [inbox.lovedOneId, inbox.above])))
  return inboxes.map(({ lovedOneId, readAbove, unreadBelow }) => ({
    lovedOneId,
    count: unreadBelow + Math.max(0, (above[lovedOneId] ?? 0) - readAbove),
  }))
}

/** The reader’s own marks against the watermark of each inbox. */
export function marksToCount(
  { readMarks }: Pick<Context, 'readMarks'>,
  { personId, workspaceId }: Reader,
  watermarks: ReadonlyMap<string, Date>,
): Record<string, Count> {
  const counts = Array.from(watermarks, ([lovedOneId, watermark]): [string, Count][] => {
    const marks = { workspaceId, lovedOneId, personId }
    const above = { ...marks, read: true, receivedAt: { $gt: watermark } }
    const below = { ...marks, read: false, receivedAt: { $lte: watermark } }
    return [
      [`read ${lovedOneId}`, { from: readMarks, where: above }],
      [`unread ${lovedOneId}`, { from: readMarks, where: below, limit: MAX_UNREAD_COUNT }],
    ]
  })
  return Object.fromEntries(counts.flat())
}

type Page = { pageToken: string; limit: number }

/** Newest first: messages above the watermark not marked read, and those below it marked unread. */
export async function findUnreadRefs(
  ctx: Context,
  reader: Reader,
  watermarks: ReadonlyMap<string, Date>,
  filter: MessageFilter,
  page: Page,
): Promise<MessageRef[]> {
  const inboxes = await Promise.all(
    filter.lovedOneIds.map((lovedOneId) =>
      findInInbox(ctx, reader, watermarks, { ...filter, lovedOneIds: [lovedOneId] }, lovedOneId, page),
    ),
  )
  return inboxes.flat().sort(newestFirst).slice(0, page.limit)
}

async function findInInbox(
  ctx: Context,
  reader: Reader,
  watermarks: ReadonlyMap<string, Date>,
  filter: MessageFilter,
  lovedOneId: string,
  page: Page,
): Promise<MessageRef[]> {
  const watermark = watermarks.get(lovedOneId) ?? new Date(0)
  const above = await collect(page, async (pageToken) => {
    const within = { receivedAt: { $gt: watermark } }
    const refs = await findMessageRefs(ctx, filter, { pageToken, limit: BATCH, within })
    const unread = await findUnread(ctx, reader, watermarks, refs)
    return { refs, found: refs.filter(({ _id }) => unread.has(_id)) }
  })
  if (above.length >= page.limit) return above
  const rest = { pageToken: page.pageToken, limit: page.limit - above.length }
  return [...above, ...(await findBelow(ctx, reader, filter, lovedOneId, watermark, rest))]
}

async function findBelow(
  ctx: Context,
  { personId, workspaceId }: Reader,
  filter: MessageFilter,
  lovedOneId: string,
  watermark: Date,
  page: Page,
): Promise<MessageRef[]> {
  const marked = { workspaceId, lovedOneId, personId, read: false, receivedAt: { $lte: watermark } }
  const marks = await ctx.readMarks
    .find(marked, { _id: 0, messageRowId: 1 })
    .sort({ receivedAt: -1, messageRowId: -1 })
    .limit(BATCH * MAX_BATCHES)
    .lean()
  if (marks.length === 0) return []
  const within = { _id: { $in: marks.map(({ messageRowId }) => messageRowId) } }
  return findMessageRefs(ctx, filter, { ...page, within })
}

type Batch = { refs: MessageRef[]; found: MessageRef[] }

async function collect({ pageToken, limit }: Page, next: (pageToken: string) => Promise<Batch>): Promise<MessageRef[]> {
  const all: MessageRef[] = []
  let token = pageToken
  for (let batches = 0; batches < MAX_BATCHES && all.length < limit; batches += 1) {
    const { refs, found } = await next(token)
    all.push(...found)
    const last = refs.at(-1)
    if (last === undefined || refs.length < BATCH) break
    token = tokenAfter(last, last.receivedAt)
  }
  return all.slice(0, limit)
}

function newestFirst(a: MessageRef, b: MessageRef): number {
  return b.receivedAt.getTime() - a.receivedAt.getTime() || (a._id < b._id ? 1 : -1)
}
