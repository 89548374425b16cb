import type { Context } from '../context.ts'

/**
 * Takes from rows all an event said and whom it was about. What it is recognised by stays, so that it never comes again.
 * @param which a filter for rows
 */
export async function emptyRows(ctx: Context, which: object): Promise<void> {
  await ctx.events.collection.updateMany(which, { $unset: { body: 1, linkId: 1, receivedAt: 1, unpublishedSince: 1 } })
}
