import { setTimeout as sleep } from 'node:timers/promises'
import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import { runInRequest } from '@family-inbox/service-kit/observability/request'
import type { indexEntryModel } from '../models/index-entry.ts'
import type { messageModel } from '../models/message.ts'
import type { notificationSettingModel } from '../models/notification-setting.ts'
import { noteArrivals } from '../notifications/note-arrivals.ts'
import { INDEXED_FIELDS, type IndexedRow, indexEntryOf } from './index-entry-of.ts'

const BATCH = 20
/** While mail is arriving the index waits for a quiet moment, but no longer than this. */
const PATIENCE_MS = 1000
const BUSY_MS = 50
/** Finds what another process left when it died. */
const SWEEP_MS = 30_000
const TROUBLE_MS = 2000

type Stores = {
  messages: ReturnType<typeof messageModel>
  indexEntries: ReturnType<typeof indexEntryModel>
  notificationSettings: ReturnType<typeof notificationSettingModel>
  /** How long mail is gathered into one notice, in milliseconds. */
  gatherMs: number
  logger: Logger
}

export type MessageIndex = AsyncDisposable & {
  /** Has what waits indexed soon. */
  wake(): void
}

/**
 * Makes messages findable after they are stored, so that no mail waits for it: a message says `indexPending` until its entry
 * is on disk. The entry is written first and follows from the message, so a crash in between repeats it and loses nothing.
 * @param isBusy whether mail is being stored right now
 */
export function createMessageIndex(stores: Stores, isBusy: () => boolean): MessageIndex {
  let stopped = false
  let awake = false
  let running: Promise<void> | undefined

  function wake(): void {
    awake = true
    if (stopped || running !== undefined) return
    // For all that waits, not for the one mail that woke it.
    running = runInRequest(undefined, work).finally(() => {
      running = undefined
      if (awake) wake()
    })
  }

  async function work(): Promise<void> {
    while (awake && !stopped) {
      awake = false
      await quietMoment(isBusy)
      try {
        if ((await indexBatch(stores)) === BATCH) awake = true
      } catch (error) {
        if (stopped) return
        stores.logger.warn(describeError(error), 'messages could not be indexed yet')
        await sleep(TROUBLE_MS, undefined, { ref: false })
      }
    }
  }

  const timer = setInterval(wake, SWEEP_MS).unref()
  wake()
  return {
    wake,
    async [Symbol.asyncDispose]() {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}

/** @returns how many were indexed */
async function indexBatch({ messages, indexEntries, notificationSettings, gatherMs }: Stores): Promise<number> {
  const rows = await messages
    .find({ indexPending: true }, INDEXED_FIELDS)
    .sort({ receivedAt: 1 })
    .limit(BATCH)
    .lean<IndexedRow[]>()
  if (rows.length === 0) return 0
  const ids = rows.map(({ _id }) => _id)
  const entries = rows.map(indexEntryOf)
  await indexEntries.bulkWrite(
    entries.map((entry) => ({ replaceOne: { filter: { _id: entry._id }, replacement: entry, upsert: true } })),
    { ordered: false },
  )
  // On the way, since this is done for every message for certain.
  await noteArrivals(
    notificationSettings,
    entries.map(({ workspaceId }) => workspaceId),
    gatherMs,
  )
  // Only where the category is still the one indexed: one that was changed meanwhile waits for the next round.
  await messages.bulkWrite(
    entries.map(({ _id, category }) => ({
      updateOne: { filter: { _id, category }, update: { $unset: { indexPending: 1 } } },
    })),
    { ordered: false },
  )
  await removeRemoved({ messages, indexEntries }, ids)
  return rows.length
}

/** A message that was removed while it was being indexed leaves nothing behind. */
async function removeRemoved(
  { messages, indexEntries }: Pick<Stores, 'messages' | 'indexEntries'>,
  ids: string[],
): Promise<void> {
  const present = new Set(await messages.distinct('_id', { _id: { $in: ids } }))
  const removed = ids.filter((id) => !present.has(id))
  if (removed.length > 0) await indexEntries.deleteMany({ _id: { $in: removed } })
}

async function quietMoment(isBusy: () => boolean): Promise<void> {
  const latest = Date.now() + PATIENCE_MS
  while (isBusy() && Date.now() < latest) await sleep(BUSY_MS, undefined, { ref: false })
}
