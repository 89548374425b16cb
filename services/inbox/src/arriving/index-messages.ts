import { setTimeout as sleep } from 'node:timers/promises'
import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import { runInRequest } from '@family-inbox/service-kit/observability/request'
import { conversationKeys } from '../models/conversation-keys.ts'
import type { IndexEntry } from '../models/index-entry.ts'
import { indexPeople, indexWords } from '../models/index-words.ts'
import { type Message, messageIdOf } from '../models/message.ts'
import { type notificationSettingModel, scheduleNotifications } from '../models/notification-setting.ts'
import type { ConversationStores } from './join-conversation.ts'
import { openConversations } from './open-conversations.ts'

const BATCH = 20
/** Indexing waits while mail is arriving, but no longer than this. */
const MAX_DELAY_MS = 1000
const BUSY_MS = 50
/** Finds what a crashed process left. */
const SWEEP_MS = 30_000
const TROUBLE_MS = 2000

type Stores = ConversationStores & {
  notificationSettings: ReturnType<typeof notificationSettingModel>
  notificationDelayMs: number
  wakeNotifications: () => void
  wakeJoins: () => void
  logger: Logger
}

export type MessageIndex = AsyncDisposable & {
  wake(): void
}

/** A message is `indexPending` until its entry is on disk, so a crash only repeats work. */
export function createMessageIndex(stores: Stores, isBusy: () => boolean): MessageIndex {
  let stopped = false
  let awake = false
  let running: Promise<void> | undefined

  function wake(): void {
    awake = true
    if (stopped || running !== undefined) return
    // not part of the delivery's trace
    running = runInRequest(undefined, work).finally(() => {
      running = undefined
      if (awake) wake()
    })
  }

  async function work(): Promise<void> {
    while (awake && !stopped) {
      awake = false
      await waitWhileBusy(isBusy)
      try {
        if ((await indexBatch(stores)) === BATCH) awake = true
      } catch (error) {
        if (stopped) return
        stores.logger.warn(describeError(error), 'messages could not be indexed; retrying')
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

async function indexBatch(stores: Stores): Promise<number> {
  const { messages, indexEntries, notificationSettings, notificationDelayMs } = stores
  const rows = await messages
    .find({ indexPending: true }, INDEXED_FIELDS)
    .sort({ receivedAt: 1 })
    .limit(BATCH)
    .lean<IndexedRow[]>()
  if (rows.length === 0) return 0
  const ids = rows.map(({ _id }) => _id)
  const repliers = await findRepliers(stores, ids)
  const entries = rows.map((row) => toIndexEntry(row, repliers.get(row._id)))
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
  await openConversations(stores, rows)
  // Here because indexing is certain to run for every message.
  await scheduleNotifications(
    notificationSettings,
    entries.map(({ workspaceId }) => workspaceId),
    notificationDelayMs,
  )
  stores.wakeNotifications()
  // Messages whose category changed meanwhile wait for the next round.
  await messages.bulkWrite(
    entries.map(({ _id, category }) => ({
      updateOne: { filter: { _id, category }, update: { $unset: { indexPending: 1 } } },
    })),
    { ordered: false },
  )
  stores.wakeJoins()
  await removeOrphanedEntries({ messages, indexEntries }, ids)
  return rows.length
}

async function findRepliers({ replies }: Stores, messageRowIds: string[]): Promise<Map<string, string[]>> {
  const rows = await replies.find({ messageRowId: { $in: messageRowIds } }, { messageRowId: 1, name: 1 }).lean()
  const grouped = Map.groupBy(rows, ({ messageRowId }) => messageRowId)
  return new Map([...grouped].map(([id, some]) => [id, some.map(({ name }) => name)]))
}

async function removeOrphanedEntries(
  { messages, indexEntries }: Pick<Stores, 'messages' | 'indexEntries'>,
  ids: string[],
): Promise<void> {
  const present = new Set(await messages.distinct('_id', { _id: { $in: ids } }))
  const removed = ids.filter((id) => !present.has(id))
  if (removed.length > 0) await indexEntries.deleteMany({ _id: { $in: removed } })
}

async function waitWhileBusy(isBusy: () => boolean): Promise<void> {
  const latest = Date.now() + MAX_DELAY_MS
  while (isBusy() && Date.now() < latest) await sleep(BUSY_MS, undefined, { ref: false })
}

export const INDEXED_FIELDS = {
  workspaceId: 1,
  lovedOneId: 1,
  receivedAt: 1,
  category: 1,
  attachmentCount: 1,
  messageIdHeader: 1,
  inReplyTo: 1,
  references: 1,
  sentAt: 1,
  subject: 1,
  from: 1,
  originalSender: 1,
  'attachments.filename': 1,
  text: 1,
  opensConversation: 1,
} as const

export type IndexedRow = Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'receivedAt' | 'category'> &
  Pick<Message, 'opensConversation'> &
  Pick<Message, 'attachmentCount' | 'messageIdHeader' | 'inReplyTo' | 'references'> &
  Pick<Message, 'subject' | 'from' | 'originalSender' | 'text' | 'sentAt'> & { attachments: { filename: string }[] }

/** @param repliers names of the members who replied */
export function toIndexEntry(row: IndexedRow, repliers: string[] = []): IndexEntry {
  const { _id, workspaceId, lovedOneId, receivedAt, category, attachmentCount } = row
  return {
    _id,
    workspaceId,
    lovedOneId,
    receivedAt,
    category,
    hasAttachments: attachmentCount > 0,
    conversationId: messageIdOf(row),
    conversation: conversationKeys(row).own,
    ...wordsOf(row, repliers),
  }
}

type WordsRow = Pick<IndexedRow, 'subject' | 'from' | 'originalSender' | 'attachments' | 'text'>

/** Most memorable first: words beyond the limit are not indexed. */
export function wordsOf(row: WordsRow, repliers: string[] = []): Pick<IndexEntry, 'keys' | 'words' | 'people'> {
  const { subject, from, originalSender, attachments, text } = row
  const people = [from, originalSender].flatMap((one) => (one ? [one.name, one.address] : []))
  const { keys, words } = indexWords([subject, ...people, ...attachments.map(({ filename }) => filename), text])
  const named = [indexPeople(people), ...repliers.map((name) => indexPeople([name]))]
  const all = new Set([...keys, ...named.flatMap((one) => one.keys)])
  return { keys: [...all], words, people: [...new Set(named.map((one) => one.words))] }
}
