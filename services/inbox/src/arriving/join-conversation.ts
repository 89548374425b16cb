import { SenderProof } from '@family-inbox/proto/calendar/v1/calendar_change'
import type { ClientSession, Connection } from 'mongoose'
import { joinStatuses } from '../conversations/join-statuses.ts'
import { respectChoices } from '../conversations/respect-choices.ts'
import { MAX_CONVERSATION } from '../models/conversation-keys.ts'
import { type conversationLockModel, lockInbox } from '../models/conversation-lock.ts'
import type { conversationStatusModel } from '../models/conversation-status.ts'
import type { IndexEntry, indexEntryModel } from '../models/index-entry.ts'
import type { messageModel } from '../models/message.ts'
import type { replyModel } from '../models/reply.ts'
import { chooseConversations } from './choose-conversations.ts'
import { findLinked, findVerified, type LinkedRow } from './find-linked.ts'

export type ConversationStores = {
  connection: Connection
  messages: ReturnType<typeof messageModel>
  indexEntries: ReturnType<typeof indexEntryModel>
  conversationLocks: ReturnType<typeof conversationLockModel>
  conversationStatuses: ReturnType<typeof conversationStatusModel>
  replies: ReturnType<typeof replyModel>
}

type Inbox = Pick<IndexEntry, 'workspaceId' | 'lovedOneId'>

type Outcome = 'joined' | 'alone' | 'waits'

/**
 * Gives a checked mail, and the messages that belong with it, one conversation id: that of the oldest, so a conversation that is
 * open keeps its id when new mail joins it. Call after its check is stored. It waits for the checks of mail that came before it
 * and names something in common, so that the order of checks decides nothing.
 */
export async function joinConversation(stores: ConversationStores, mail: LinkedRow): Promise<Outcome> {
  const found = await findJoined(stores, mail)
  if (found === undefined || found.length < 2) return found === undefined ? 'waits' : 'alone'
  const inbox = inboxOf(mail)
  // All messages of the conversations change in one step, and one join at a time changes an inbox: a crash or another
  // process cannot leave part of a conversation behind.
  return stores.connection.transaction(async (session) => {
    await lockInbox(stores, inbox, session)
    const found = await findJoined(stores, mail, session)
    if (found === undefined || found.length < 2) return 'alone'
    const conversations = await respectChoices(stores, mail, found, session)
    if (conversations.length < 2) return 'alone'
    const members = { ...inbox, conversationId: { $in: conversations } }
    const rows = await stores.indexEntries
      .find(members, { _id: 1, conversationId: 1 }, { session })
      .sort({ receivedAt: 1, _id: 1 })
      .limit(MAX_CONVERSATION + 1)
      .lean()
    const [oldest] = rows
    if (oldest === undefined || rows.length > MAX_CONVERSATION) return 'alone'
    const { conversationId } = oldest
    const joined = [{ _id: { $in: rows.map(({ _id }) => _id) } }, { $set: { conversationId } }] as const
    await stores.indexEntries.updateMany(...joined, { session })
    await stores.messages.updateMany(...joined, { session })
    await joinStatuses(stores, inbox, conversations, conversationId, session)
    return 'joined'
  })
}

async function findJoined(stores: ConversationStores, row: LinkedRow, session?: ClientSession) {
  const linked = await findLinked(stores, row, session)
  if (linked === undefined) return undefined
  const { mail, others } = linked
  const chosen = chooseConversations(mail, others, new Set())
  if (chosen.length === 0 || mail.proof === SenderProof.VERIFIED) return [...new Set([mail.conversationId, ...chosen])]
  const verified = await findVerified(stores, row, [mail.conversationId, ...chosen], session)
  return [...new Set([mail.conversationId, ...chooseConversations(mail, others, verified)])]
}

function inboxOf({ workspaceId, lovedOneId }: Inbox): Inbox {
  return { workspaceId, lovedOneId }
}
