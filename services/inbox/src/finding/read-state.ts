import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import type { Message } from '../models/message.ts'
import { newMark, readMarkId } from '../models/read-mark.ts'
import { type Reader, type ReadWatermark, readWatermarkId } from '../models/read-watermark.ts'

/** A new reader finds the last week's mail unread, not years of it. */
const FIRST_LOOK_BACK_MS = 7 * DAY_MS

/** This many read messages above the watermark let it advance. */
const ADVANCE_AT = 400
const ADVANCE_BATCH = 200
/** Storing a message may lag behind its `receivedAt`, so the watermark stays below this. */
export const STILL_ARRIVING_MS = 60_000
const ADVANCED_FIELDS = { workspaceId: 1, lovedOneId: 1, receivedAt: 1 } as const

type Row = Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'receivedAt'>

export async function markRead(ctx: Context, reader: Reader, row: Row): Promise<void> {
  const _id = readMarkId(reader.personId, row._id)
  const mark = { ...newMark(reader.personId, row), read: true }
  await ctx.readMarks.updateOne({ _id }, [{ $set: { ...mark, readAt: { $ifNull: ['$readAt', '$$NOW'] } } }], {
    upsert: true,
    updatePipeline: true,
  })
  await advanceWatermark(ctx, reader, row.lovedOneId)
}

export async function markUnread(ctx: Context, { personId }: Reader, row: Row): Promise<void> {
  const _id = readMarkId(personId, row._id)
  await ctx.readMarks.updateOne({ _id }, { $set: { ...newMark(personId, row), read: false } }, { upsert: true })
}

export async function findWatermarks(
  { readWatermarks }: Pick<Context, 'readWatermarks'>,
  reader: Reader,
  lovedOneIds: string[],
): Promise<Map<string, Date>> {
  const idOf = new Map(lovedOneIds.map((lovedOneId) => [readWatermarkId(reader, lovedOneId), lovedOneId]))
  const rows = await readWatermarks.find({ _id: { $in: [...idOf.keys()] }, workspaceId: reader.workspaceId }).lean()
  const watermarks = new Map(rows.map(({ _id, receivedAt }) => [idOf.get(_id) ?? '', receivedAt]))
  const first = lovedOneIds.filter((lovedOneId) => !watermarks.has(lovedOneId))
  if (first.length === 0) return watermarks
  const receivedAt = new Date(Date.now() - FIRST_LOOK_BACK_MS)
  const { workspaceId } = reader
  await insertMissing(
    readWatermarks,
    first.map((lovedOneId) => ({ _id: readWatermarkId(reader, lovedOneId), workspaceId, receivedAt })),
  )
  for (const lovedOneId of first) watermarks.set(lovedOneId, receivedAt)
  return watermarks
}

/** A concurrent insert is just as good. */
async function insertMissing(readWatermarks: Context['readWatermarks'], rows: ReadWatermark[]): Promise<void> {
  try {
    await readWatermarks.collection.insertMany(rows as never[], { ordered: false })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
}

export async function raiseWatermark(
  { readWatermarks }: Pick<Context, 'readWatermarks'>,
  reader: Reader,
  lovedOneId: string,
  receivedAt: Date,
): Promise<void> {
  await readWatermarks.updateOne(
    { _id: readWatermarkId(reader, lovedOneId) },
    { $max: { receivedAt }, $setOnInsert: { workspaceId: reader.workspaceId } },
    { upsert: true },
  )
}

/** Advances past the oldest messages once enough are read, so that queries stay bounded. Marks the unread ones. */
async function advanceWatermark(ctx: Context, reader: Reader, lovedOneId: string): Promise<void> {
  const watermark = (await findWatermarks(ctx, reader, [lovedOneId])).get(lovedOneId)
  const { personId, workspaceId } = reader
  const above = { workspaceId, lovedOneId, receivedAt: { $gt: watermark } }
  const readAbove = await ctx.readMarks.countDocuments({ ...above, personId, read: true }, { limit: ADVANCE_AT })
  if (readAbove < ADVANCE_AT) return
  const rows = await ctx.messages
    .find({ ...above, receivedAt: { $gt: watermark, $lt: new Date(Date.now() - STILL_ARRIVING_MS) } }, ADVANCED_FIELDS)
    .sort({ receivedAt: 1, _id: 1 })
    .limit(ADVANCE_BATCH)
    .lean()
  const highest = rows.at(-1)
  if (highest === undefined) return
  await markRestUnread(ctx, personId, rows)
  // More messages may share the last timestamp, so stop just before it; the next round handles them.
  const all = rows.length < ADVANCE_BATCH
  await raiseWatermark(ctx, reader, lovedOneId, all ? highest.receivedAt : new Date(highest.receivedAt.getTime() - 1))
}

/** Most have a mark: to look for those costs a fraction of writing to each. */
async function markRestUnread({ readMarks }: Context, personId: string, rows: Row[]): Promise<void> {
  const marks = rows.map((row) => ({ _id: readMarkId(personId, row._id), ...newMark(personId, row), read: false }))
  const marked = await readMarks.find({ _id: { $in: marks.map(({ _id }) => _id) } }, { _id: 1 }).lean()
  const has = new Set(marked.map(({ _id }) => _id))
  const rest = marks.filter(({ _id }) => !has.has(_id))
  if (rest.length === 0) return
  await readMarks.bulkWrite(
    rest.map(({ _id, ...mark }) => ({ updateOne: { filter: { _id }, update: { $setOnInsert: mark }, upsert: true } })),
    { ordered: false },
  )
}
