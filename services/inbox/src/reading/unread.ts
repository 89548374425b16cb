import { cutPage } from '@family-inbox/service-kit/rpc/page'
import type { Context } from '../context.ts'
import type { Reader } from '../models/read-floor.ts'
import { readMarkId } from '../models/read-mark.ts'
import { findPlaces, type Place, type Wanted } from '../search/find-messages.ts'

/** Counted so far and no further: “99+” says all there is to say. */
const MAX_UNREAD_COUNT = 100

type Row = { _id: string; lovedOneId: string; receivedAt: Date }

/** Which of these messages a person has not read, by their rows’ keys. */
export async function findUnread(
  { readMarks }: Pick<Context, 'readMarks'>,
  { personId }: Reader,
  floors: ReadonlyMap<string, Date>,
  rows: Row[],
): Promise<Set<string>> {
  const idOf = (row: Row) => readMarkId(personId, row._id)
  const marks = await readMarks.find({ _id: { $in: rows.map(idOf) } }, { read: 1 }).lean()
  const isRead = new Map(marks.map(({ _id, read }) => [_id, read]))
  const unread = rows.filter((row) => !(isRead.get(idOf(row)) ?? isBelow(floors, row)))
  return new Set(unread.map(({ _id }) => _id))
}

function isBelow(floors: ReadonlyMap<string, Date>, { lovedOneId, receivedAt }: Row): boolean {
  const floor = floors.get(lovedOneId)
  return floor !== undefined && receivedAt <= floor
}

/** How much of one inbox a person has not read, up to MAX_UNREAD_COUNT: counted in the keys of indexes alone. */
export async function countUnread(
  { messages, readMarks }: Pick<Context, 'messages' | 'readMarks'>,
  { personId, workspaceId }: Reader,
  lovedOneId: string,
  floor: Date,
): Promise<number> {
  const inbox = { workspaceId, lovedOneId }
  const marks = { ...inbox, personId }
  const [readAbove, unreadBelow] = await Promise.all([
    readMarks.countDocuments({ ...marks, read: true, receivedAt: { $gt: floor } }),
    readMarks.countDocuments({ ...marks, read: false, receivedAt: { $lte: floor } }, { limit: MAX_UNREAD_COUNT }),
  ])
  const above = { ...inbox, receivedAt: { $gt: floor } }
  const room = MAX_UNREAD_COUNT - unreadBelow
  const unreadAbove = room > 0 ? (await messages.countDocuments(above, { limit: readAbove + room })) - readAbove : 0
  return unreadBelow + Math.max(0, unreadAbove)
}

const BATCH = 200
/** More than may be read above the line (settle-floor.ts), so that a page is full unless there is no more. */
const MAX_BATCHES = 10

type Page = { pageToken: string; limit: number }

/**
 * The newest messages a person has not read, among the wanted ones, inbox by inbox: above the line all but those with a mark
 * that says they are read, below it those with a mark that says they are not.
 */
export async function findUnreadPlaces(
  ctx: Context,
  reader: Reader,
  floors: ReadonlyMap<string, Date>,
  wanted: Wanted,
  page: Page,
): Promise<Place[]> {
  const inboxes = await Promise.all(
    wanted.lovedOneIds.map((lovedOneId) =>
      findInInbox(ctx, reader, floors, { ...wanted, lovedOneIds: [lovedOneId] }, lovedOneId, page),
    ),
  )
  return inboxes.flat().sort(newestFirst).slice(0, page.limit)
}

async function findInInbox(
  ctx: Context,
  reader: Reader,
  floors: ReadonlyMap<string, Date>,
  wanted: Wanted,
  lovedOneId: string,
  page: Page,
): Promise<Place[]> {
  const floor = floors.get(lovedOneId) ?? new Date(0)
  const above = await collect(page, async (pageToken) => {
    const within = { receivedAt: { $gt: floor } }
    const places = await findPlaces(ctx, wanted, { pageToken, limit: BATCH, within })
    const unread = await findUnread(ctx, reader, floors, places)
    return { places, found: places.filter(({ _id }) => unread.has(_id)) }
  })
  if (above.length >= page.limit) return above
  const rest = { pageToken: page.pageToken, limit: page.limit - above.length }
  return [...above, ...(await findBelow(ctx, reader, wanted, lovedOneId, floor, rest))]
}

async function findBelow(
  ctx: Context,
  { personId, workspaceId }: Reader,
  wanted: Wanted,
  lovedOneId: string,
  floor: Date,
  page: Page,
): Promise<Place[]> {
  const marked = { workspaceId, lovedOneId, personId, read: false, receivedAt: { $lte: floor } }
  const marks = await ctx.readMarks
    .find(marked, { _id: 0, messageRowId: 1 })
    .sort({ receivedAt: -1, messageRowId: -1 })
    .limit(BATCH * MAX_BATCHES)
    .lean()
  if (marks.length === 0) return []
  const within = { _id: { $in: marks.map(({ messageRowId }) => messageRowId) } }
  return findPlaces(ctx, wanted, { ...page, within })
}

type Batch = { places: Place[]; found: Place[] }

/** Goes on from batch to batch until there is enough, or no more. */
async function collect({ pageToken, limit }: Page, next: (pageToken: string) => Promise<Batch>): Promise<Place[]> {
  const all: Place[] = []
  let token = pageToken
  for (let batches = 0; batches < MAX_BATCHES && all.length < limit; batches += 1) {
    const { places, found } = await next(token)
    all.push(...found)
    if (places.length < BATCH) break
    // The token of a full page: one row more than it holds says that it goes on.
    token = cutPage([...places, ...places.slice(-1)], BATCH, ({ receivedAt }) => receivedAt).nextPageToken
  }
  return all.slice(0, limit)
}

function newestFirst(a: Place, b: Place): number {
  return b.receivedAt.getTime() - a.receivedAt.getTime() || (a._id < b._id ? 1 : -1)
}
