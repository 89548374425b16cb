import { FINISHED } from '@family-inbox/workspace-kit/status-rule'
import { moveStatus } from '../conversations/join-statuses.ts'
import { type Message, messageRowId, publicIdOf } from '../models/message.ts'
import type { ConversationStores } from './join-conversation.ts'

type Arrival = Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'receivedAt' | 'opensConversation'>

/**
 * Opens the conversations of new mail, also those that were done. Automatic mail changes only their order. Call after the mail
 * has joined its conversation. Repeated after a crash; a message opens its conversation until its mark is removed.
 */
export async function openConversations(stores: ConversationStores, arrivals: Arrival[]): Promise<void> {
  const written = await findConversationIds(stores, arrivals)
  await stores.conversationStatuses.collection.bulkWrite(
    arrivals.map((arrival) => toUpdate(arrival, written.get(arrival._id) ?? publicIdOf(arrival))) as never[],
    { ordered: false },
  )
  await followJoins(stores, arrivals, written)
  const opened = arrivals.filter(({ opensConversation }) => opensConversation).map(({ _id }) => _id)
  if (opened.length > 0)
    await stores.messages.updateMany({ _id: { $in: opened } }, { $unset: { opensConversation: 1 } })
}

async function findConversationIds(
  { indexEntries }: Pick<ConversationStores, 'indexEntries'>,
  arrivals: Arrival[],
): Promise<Map<string, string>> {
  const ids = arrivals.map(({ _id }) => _id)
  const entries = await indexEntries.find({ _id: { $in: ids } }, { conversationId: 1 }).lean()
  return new Map(entries.map(({ _id, conversationId }) => [_id, conversationId]))
}

function toUpdate(arrival: Arrival, conversationId: string) {
  const { workspaceId, lovedOneId, receivedAt, opensConversation } = arrival
  const filter = { _id: messageRowId({ workspaceId, lovedOneId }, conversationId) }
  if (!opensConversation) return { updateOne: { filter, update: { $max: { mailAt: receivedAt } } } }
  const mustOpen = {
    $and: [{ $in: [{ $ifNull: ['$status', 'done'] }, FINISHED] }, { $ne: ['$actedOn', publicIdOf(arrival)] }],
  }
  const ifMustOpen = (value: unknown, otherwise: string) => ({ $cond: [mustOpen, value, otherwise] })
  const update = [
    {
      $set: {
        workspaceId,
        lovedOneId,
        mailAt: { $max: ['$mailAt', receivedAt] },
        status: ifMustOpen('open', '$status'),
        changedAt: ifMustOpen('$$NOW', '$changedAt'),
        changedByName: ifMustOpen('$$REMOVE', '$changedByName'),
        version: { $add: [{ $ifNull: ['$version', 0] }, 1] },
      },
    },
  ]
  return { updateOne: { filter, update, upsert: true } }
}

/** Another process may join a conversation at the same moment. */
async function followJoins(stores: ConversationStores, arrivals: Arrival[], written: Map<string, string>) {
  const current = await findConversationIds(stores, arrivals)
  for (const arrival of arrivals) {
    const [from, to] = [written.get(arrival._id), current.get(arrival._id)]
    if (from !== undefined && to !== undefined && from !== to) await moveStatus(stores, arrival, from, to)
  }
}
