import { readAll } from '@family-inbox/service-kit/mongo/read-all'
import { createBatcher } from '@family-inbox/service-kit/rpc/batch'
import type { indexEntryModel } from './index-entry.ts'
import type { Message } from './message.ts'

type Conversation = Pick<Message, 'workspaceId' | 'lovedOneId'> & { conversationId: string }
type Member = Conversation & Pick<Message, '_id' | 'receivedAt'>
/** The ids of its rows, newest first. */
export type FindConversation = (conversation: Conversation) => Promise<string[]>

/** Readers at the same time share a command. */
export function createFindConversation({ collection }: ReturnType<typeof indexEntryModel>): FindConversation {
  return createBatcher(async (asked: Conversation[]) => {
    const projection = { workspaceId: 1, lovedOneId: 1, conversationId: 1, receivedAt: 1 }
    const members = await readAll<Member>(collection, { filter: { $or: asked }, projection })
    const newestFirst = members.sort((one, other) => other.receivedAt.getTime() - one.receivedAt.getTime())
    const grouped = Map.groupBy(newestFirst, keyOf)
    return asked.map((conversation) => (grouped.get(keyOf(conversation)) ?? []).map(({ _id }) => _id))
  })
}

function keyOf({ workspaceId, lovedOneId, conversationId }: Conversation): string {
  return `${workspaceId}/${lovedOneId}/${conversationId}`
}
