import type { Context } from '../context.ts'
import { type Message, messageRowId } from '../models/message.ts'
import { ORIGINAL_FIELDS } from '../models/original.ts'
import { messageNotFound } from '../wire-message.ts'

export type OriginalRow = Pick<Message, '_id' | 'attachments' | keyof typeof ORIGINAL_FIELDS>

/**
 * The row fields needed to read a message's original.
 * @throws StatusError NOT_FOUND, the same for another workspace's id and an unknown one
 */
export async function findOriginal(
  { messages }: Pick<Context, 'messages'>,
  workspaceId: string,
  { messageId, lovedOneId }: { messageId: string; lovedOneId: string },
): Promise<OriginalRow> {
  const _id = messageRowId({ workspaceId, lovedOneId }, messageId)
  // The native driver returns the original's bytes as they are.
  const row = await messages.collection.findOne(
    { _id: _id as never },
    { projection: { ...ORIGINAL_FIELDS, attachments: 1 }, promoteBuffers: true },
  )
  if (row === null) throw messageNotFound()
  return row as unknown as OriginalRow
}
