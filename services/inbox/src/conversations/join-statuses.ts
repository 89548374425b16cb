import type { ClientSession, Connection } from 'mongoose'
import { type conversationLockModel, lockInbox } from '../models/conversation-lock.ts'
import type { ConversationStatus, conversationStatusModel } from '../models/conversation-status.ts'
import { messageRowId } from '../models/message.ts'
import { mergeStatuses } from './merge-statuses.ts'

type Inbox = Pick<ConversationStatus, 'workspaceId' | 'lovedOneId'>
type JoinStores = Stores & { connection: Connection; conversationLocks: ReturnType<typeof conversationLockModel> }
type Stores = { conversationStatuses: ReturnType<typeof conversationStatusModel> }

/** Gives joined conversations one status. A change made at the same moment conflicts with the transaction and is repeated. */
export async function joinStatuses(
  { conversationStatuses }: Stores,
  inbox: Inbox,
  conversations: string[],
  into: string,
  session: ClientSession,
): Promise<void> {
  const _id = messageRowId(inbox, into)
  const ids = conversations.map((id) => messageRowId(inbox, id))
  const rows = await conversationStatuses.find({ _id: { $in: ids } }, null, { session }).lean()
  const merged = mergeStatuses(rows)
  if (merged === undefined || rows.every((row) => row._id === _id)) return
  await conversationStatuses.deleteMany({ _id: { $in: ids } }, { session })
  await conversationStatuses.collection.insertOne({ ...merged, _id } as never, { session })
}

/** Moves a status that was written while its conversation joined another one. */
export async function moveStatus(stores: JoinStores, inbox: Inbox, from: string, to: string): Promise<void> {
  await stores.connection.transaction(async (session) => {
    await lockInbox(stores, inbox, session)
    await joinStatuses(stores, inbox, [from, to], to, session)
  })
}
