import type { Context } from '../context.ts'
import { messageRowId } from '../models/message.ts'

type Conversation = { workspaceId: string; lovedOneId: string; conversationId: string }

/** Deletes the statuses of those conversations that have no message left. Call after their search entries are deleted. */
export async function removeEndedStatuses(
  { indexEntries, conversationStatuses }: Pick<Context, 'indexEntries' | 'conversationStatuses'>,
  conversations: Conversation[],
): Promise<void> {
  const inboxOf = (one: Conversation) => messageRowId(one, '')
  for (const some of Map.groupBy(conversations, inboxOf).values()) {
    const [{ workspaceId, lovedOneId }] = some as [Conversation]
    const conversationId = { $in: some.map((one) => one.conversationId) }
    const left = new Set(await indexEntries.distinct('conversationId', { workspaceId, lovedOneId, conversationId }))
    const ended = some.filter((one) => !left.has(one.conversationId))
    const ids = ended.map((one) => messageRowId(one, one.conversationId))
    await conversationStatuses.deleteMany({ _id: { $in: ids } })
  }
}
