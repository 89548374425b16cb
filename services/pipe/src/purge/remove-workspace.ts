import type { Context } from '../context.ts'
import { purgeLink, tombstoneLink } from './purge-link.ts'

/**
 * Ends every link of a household that was deleted, and deletes what came through it. The tombstones come first: from then on
 * nothing of its agencies is taken; what this leaves half done the sweeper of purges finishes.
 */
export async function removeWorkspace(ctx: Context, workspaceId: string): Promise<void> {
  for (
    let link = await tombstoneLink(ctx, { workspaceId });
    link !== null;
    link = await tombstoneLink(ctx, { workspaceId })
  )
    await purgeLink(ctx, link)
}
