import type { Context } from '../context.ts'
import type { Link } from '../models/link.ts'
import { purgeLink } from '../purge/purge-link.ts'

/**
 * Ends every link of a household that was deleted, and deletes what came through it. The tombstones come first: from then on
 * nothing of its agencies is taken; what this leaves half done the sweeper of purges finishes.
 */
export async function forgetHousehold(ctx: Context, workspaceId: string): Promise<void> {
  for (let link = await buryNext(ctx, workspaceId); link !== null; link = await buryNext(ctx, workspaceId))
    await purgeLink(ctx, link)
}

function buryNext(ctx: Context, workspaceId: string): Promise<Link | null> {
  const now = new Date()
  return ctx.links
    .findOneAndUpdate(
      { workspaceId, live: true },
      { $set: { shared: false, purgedAt: now, purgeDueAt: now }, $unset: { live: 1 } },
      { returnDocument: 'after' },
    )
    .lean<Link>()
}
