import type { ClientSession, Connection } from 'mongoose'
import type { conversationLockModel } from '../models/conversation-lock.ts'
import type { conversationStatusModel } from '../models/conversation-status.ts'
import type { IndexEntry, indexEntryModel } from '../models/index-entry.ts'
import type { messageModel } from '../models/message.ts'
import { joinStatuses } from './join-statuses.ts'

/** Mail that would make a conversation longer starts another one. */
export const MAX_CONVERSATION = 200
/** More than all messages of two full conversations. */
const MAX_LOOKED_AT = 2 * MAX_CONVERSATION + 100

export type ConversationStores = {
  connection: Connection
  messages: ReturnType<typeof messageModel>
  indexEntries: ReturnType<typeof indexEntryModel>
  conversationLocks: ReturnType<typeof conversationLockModel>
  conversationStatuses: ReturnType<typeof conversationStatusModel>
}

type Inbox = Pick<IndexEntry, 'workspaceId' | 'lovedOneId'>

/**
 * Gives all messages that belong together one conversation id: that of the oldest, so a conversation that is open keeps its
 * id when new mail joins it. Call after the entry is stored; of two messages stored at the same time, the later call then
 * sees both.
 * @returns whether anything was joined
 */
export async function joinConversation(stores: ConversationStores, inbox: Inbox, sought: string[]): Promise<boolean> {
  if ((await findConversationIds(stores, inbox, sought)).length < 2) return false
  // All messages of the conversations change in one step, and one join at a time changes an inbox: a crash or another
  // process cannot leave part of a conversation behind.
  return stores.connection.transaction(async (session) => {
    await lockInbox(stores, inbox, session)
    const conversations = await findConversationIds(stores, inbox, sought, session)
    if (conversations.length < 2) return false
    const members = { ...inboxOf(inbox), conversationId: { $in: conversations } }
    const rows = await stores.indexEntries
      .find(members, { _id: 1, conversationId: 1 }, { session })
      .sort({ receivedAt: 1, _id: 1 })
      .limit(MAX_CONVERSATION + 1)
      .lean()
    const [oldest] = rows
    if (oldest === undefined || rows.length > MAX_CONVERSATION) return false
    const { conversationId } = oldest
    const joined = [{ _id: { $in: rows.map(({ _id }) => _id) } }, { $set: { conversationId } }] as const
    await stores.indexEntries.updateMany(...joined, { session })
    await stores.messages.updateMany(...joined, { session })
    await joinStatuses(stores, inbox, conversations, conversationId, session)
    return true
  })
}

/** Moves a status that was written while its conversation joined another one. */
export async function moveStatus(stores: ConversationStores, inbox: Inbox, from: string, to: string): Promise<void> {
  await stores.connection.transaction(async (session) => {
    await lockInbox(stores, inbox, session)
    await joinStatuses(stores, inbox, [from, to], to, session)
  })
}

async function findConversationIds(
  { indexEntries }: ConversationStores,
  inbox: Inbox,
  sought: string[],
  session?: ClientSession,
): Promise<string[]> {
  if (sought.length === 0) return []
  const rows = await indexEntries
    .find({ ...inboxOf(inbox), conversation: { $in: sought } }, { _id: 0, conversationId: 1 }, { session })
    .limit(MAX_LOOKED_AT)
    .lean<{ conversationId?: string }[]>()
  return [...new Set(rows.flatMap(({ conversationId }) => conversationId ?? []))]
}

/** A write that every join makes, so that two joins in an inbox conflict and one is repeated. */
async function lockInbox({ conversationLocks }: ConversationStores, inbox: Inbox, session: ClientSession) {
  const { workspaceId, lovedOneId } = inbox
  await conversationLocks.updateOne(
    { _id: `${workspaceId}/${lovedOneId}` },
    { $inc: { joins: 1 }, $setOnInsert: { workspaceId } },
    { upsert: true, session },
  )
}

function inboxOf({ workspaceId, lovedOneId }: Inbox): Inbox {
  return { workspaceId, lovedOneId }
}
