import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import type { Context } from '../context.ts'
import type { StorageUse } from '../models/storage-use.ts'

/** The share of the storage from which on the owner is told, and the share below which it is news again. */
export const NEARLY_FULL = 0.8
const WARN_AGAIN_BELOW = 0.7

/** What a workspace's mail takes, counted exactly when it never was. */
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
 * Counts all mail of a workspace again, unless that was done a short time ago. It reads every message's row, so it is done
 * only where the difference matters: before mail is refused and before the owner is told. Of several replicas one counts.
 * @param restMs how long a count is good for
 */
export async function recountStorage(ctx: Context, use: StorageUse, restMs: number): Promise<StorageUse> {
  const { _id, bytes, countedAt } = use
  if (countedAt.getTime() > Date.now() - restMs) return use
  const claimed = await ctx.storageUses.updateOne({ _id, countedAt }, { $set: { countedAt: new Date() } })
  if (claimed.matchedCount === 0) return use
  const counted = await sumBytes(ctx, _id)
  // What arrived while it was counted stays counted: the difference is to what was known before.
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
