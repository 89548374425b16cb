import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import type { Context } from '../context.ts'
import { newMark, readMarkId } from '../models/read-mark.ts'
import { type Reader, type ReadWatermark, readWatermarkId } from '../models/read-watermark.ts'

/** Whoever looks into an inbox for the first time finds the mail of the last week unread, and not that of years. */
const FIRST_LOOK_BACK_MS = 7 * 86_400_000

/** Where the line between read and unread is in each of these inboxes, by loved one; drawn at the first look. */
export async function findWatermarks(
  { readWatermarks }: Pick<Context, 'readWatermarks'>,
  reader: Reader,
  lovedOneIds: string[],
): Promise<Map<string, Date>> {
  const idOf = new Map(lovedOneIds.map((lovedOneId) => [readWatermarkId(reader, lovedOneId), lovedOneId]))
  const rows = await readWatermarks.find({ _id: { $in: [...idOf.keys()] } }).lean()
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

/** A line that another look drew at the same moment is as good. */
async function insertMissing(readWatermarks: Context['readWatermarks'], rows: ReadWatermark[]): Promise<void> {
  try {
    await readWatermarks.collection.insertMany(rows as never[], { ordered: false })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
}

/** Raises the line, never lowers it. */
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

/** So many read messages above the line are enough to raise it over the oldest of them. */
const ADVANCE_AT = 400
const ADVANCE_BATCH = 200
/** A message may be stored a little after the moment it was received: the line stays below what may still come. */
export const STILL_ARRIVING_MS = 60_000

/**
 * Raises the line between read and unread over the oldest messages above it, once many of those are read: what among them is
 * unread gets a mark that says so. What counting and listing must look at stays bounded, however much there is to read.
 */
export async function advanceWatermark(ctx: Context, reader: Reader, lovedOneId: string): Promise<void> {
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
  await ctx.readMarks.bulkWrite(
    rows.map((row) => ({
      updateOne: {
        filter: { _id: readMarkId(personId, row._id) },
        update: { $setOnInsert: { ...newMark(personId, row), read: false } },
        upsert: true,
      },
    })),
    { ordered: false },
  )
  // Of messages received at the same moment some may lie beyond this round: they are settled by the next, not passed over.
  const all = rows.length < ADVANCE_BATCH
  await raiseWatermark(ctx, reader, lovedOneId, all ? highest.receivedAt : new Date(highest.receivedAt.getTime() - 1))
}

const ADVANCED_FIELDS = { workspaceId: 1, lovedOneId: 1, receivedAt: 1 } as const
