import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import type { Context } from '../context.ts'
import type { StorageUse } from '../models/storage-use.ts'

/** The owner is warned above the first share, and again only after falling below the second. */
export const NEARLY_FULL = 0.8
const WARN_AGAIN_BELOW = 0.7

/** A workspace's storage, counted exactly the first time. */
export async function findStorageUse(ctx: Context, workspaceId: string): Promise<StorageUse> {
  const known = await ctx.storageUses.findById(workspaceId).lean()
  if (known !== null) return known
  const use = { bytes: await sumBytes(ctx, workspaceId), countedAt: new Date(), arrivals: {}, warnings: 0 }
  try {
    await ctx.storageUses.updateOne({ _id: workspaceId }, { $setOnInsert: use }, { upsert: true })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
  return ctx.storageUses.findById(workspaceId).lean().orFail()
}

/**
 * Counts a workspace's mail again, unless it did so recently. Reads every row, so only before refusing mail or warning
 * the owner. One replica counts.
 * @param restMs how long a count is valid
 */
export async function recountStorage(ctx: Context, use: StorageUse, restMs: number): Promise<StorageUse> {
  const { _id, bytes, countedAt } = use
  if (countedAt.getTime() > Date.now() - restMs) return use
  const claimed = await ctx.storageUses.updateOne({ _id, countedAt }, { $set: { countedAt: new Date() } })
  if (claimed.matchedCount === 0) return use
  const counted = await sumBytes(ctx, _id)
  // Adds the difference, so mail arriving during the count is kept.
  const isNews = counted < ctx.config.storageBytes * WARN_AGAIN_BELOW
  const change = { $inc: { bytes: counted - bytes }, ...(isNews && { $unset: { warnedAt: 1 } }) }
  return ctx.storageUses.findByIdAndUpdate(_id, change, { returnDocument: 'after' }).lean().orFail()
}

async function sumBytes(ctx: Context, workspaceId: string): Promise<number> {
  const [sum] = await ctx.messages.aggregate<{ bytes: number }>([
    { $match: { workspaceId } },
    { $group: { _id: null, bytes: { $sum: '$size' } } },
  ])
  return sum?.bytes ?? 0
}
