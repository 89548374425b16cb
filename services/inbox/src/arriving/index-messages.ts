import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import type { Context } from '../context.ts'
import { removeEndedStatuses } from '../conversations/remove-ended-statuses.ts'
import { findFileTexts } from '../models/attachment-text.ts'
import { INDEXED_FIELDS, type IndexedRow, toIndexEntry } from '../models/index-entry.ts'
import { scheduleNotifications } from '../models/notification-setting.ts'
import { openConversations } from './open-conversations.ts'
import { waitWhileStoring } from './wait-while-storing.ts'

const BATCH = 20
/** Indexing waits while mail is arriving, but no longer than this. */
const MAX_DELAY_MS = 1000
/** Finds what a crashed process left. */
const PAUSE_MS = 30_000

/**
 * Makes stored mail findable, and starts what is certain to happen to each: its conversation opens, and its members are notified.
 * A message is `indexPending` until its entry is on disk, so a crash only repeats work.
 */
export function indexMessages(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: PAUSE_MS,
    sweep: () => indexBatch(ctx),
    wake: ctx.wake.index,
    failureMessage: 'messages could not be indexed; retrying',
    logger: ctx.logger,
  })
}

/** @returns whether there is more */
async function indexBatch(ctx: Context): Promise<boolean> {
  const { messages, indexEntries } = ctx
  await waitWhileStoring(ctx, Date.now() + MAX_DELAY_MS)
  const rows = await messages
    .find({ indexPending: true }, INDEXED_FIELDS)
    .sort({ receivedAt: 1 })
    .limit(BATCH)
    .lean<IndexedRow[]>()
  if (rows.length === 0) return false
  const ids = rows.map(({ _id }) => _id)
  const [repliers, fileTexts] = await Promise.all([findRepliers(ctx, ids), findFileTexts(ctx, ids)])
  const entries = await Promise.all(
    rows.map((row) => {
      const entry = toIndexEntry(row, repliers.get(row._id), fileTexts.get(row._id))
      return ctx.seal(indexEntries, row.workspaceId, entry)
    }),
  )
  // Added, because a reply may have joined the conversation meanwhile.
  await indexEntries.bulkWrite(
    entries.map(({ _id, conversationId, conversation, ...fields }) => ({
      updateOne: {
        filter: { _id },
        update: {
          $set: fields,
          $setOnInsert: { conversationId },
          $addToSet: { conversation: { $each: conversation } },
        },
        upsert: true,
      },
    })),
    { ordered: false },
  )
  await openConversations(ctx, rows)
  // Here because indexing is certain to run for every message.
  await scheduleNotifications(
    ctx.notificationSettings,
    entries.map(({ workspaceId }) => workspaceId),
    ctx.config.notificationDelayMs,
  )
  ctx.wake.notifications()
  // Messages whose category changed meanwhile wait for the next round.
  await messages.bulkWrite(
    entries.map(({ _id, workspaceId, category }) => ({
      updateOne: { filter: { _id, workspaceId, category }, update: { $unset: { indexPending: 1 } } },
    })),
    { ordered: false },
  )
  ctx.wake.joins()
  ctx.wake.files()
  await removeOrphanedEntries(ctx, ids)
  return rows.length === BATCH
}

async function findRepliers({ replies }: Context, messageRowIds: string[]): Promise<Map<string, string[]>> {
  const rows = await replies.find({ messageRowId: { $in: messageRowIds } }, { messageRowId: 1, name: 1 }).lean()
  const grouped = Map.groupBy(rows, ({ messageRowId }) => messageRowId)
  return new Map([...grouped].map(([id, some]) => [id, some.map(({ name }) => name)]))
}

/** Of messages that were deleted or moved to Junk meanwhile. */
async function removeOrphanedEntries(ctx: Context, ids: string[]): Promise<void> {
  const present = new Set(await ctx.messages.distinct('_id', { _id: { $in: ids } }))
  const removed = { _id: { $in: ids.filter((id) => !present.has(id)) } }
  if (removed._id.$in.length === 0) return
  const fields = { workspaceId: 1, lovedOneId: 1, conversationId: 1 }
  const entries = await ctx.indexEntries.find(removed, fields).lean()
  await ctx.indexEntries.deleteMany(removed)
  await removeEndedStatuses(ctx, entries)
}
