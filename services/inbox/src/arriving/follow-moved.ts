import type { Context } from '../context.ts'
import { MAX_CONVERSATION, messageIdKeys } from '../models/conversation-keys.ts'
import { publicIdOf } from '../models/message.ts'
import { moveToInbox } from '../rearranging/move-to-inbox.ts'
import { answersOurs, isProven } from './choose-conversations.ts'
import { findVerified, type LinkedRow, readLinked } from './find-linked.ts'

/**
 * An answer to a conversation that was moved to another loved one's inbox still comes to the address it was written to. It follows
 * if it names the Message-ID of a reply of ours and comes from whom that went to; anything else stays where it arrived.
 * @returns whether it has
 */
export async function followMoved(ctx: Context, mail: LinkedRow): Promise<boolean> {
  const { _id, workspaceId, lovedOneId } = mail
  // Whatever else is in its conversation has not answered us.
  if ((await ctx.findConversation({ workspaceId, lovedOneId, conversationId: publicIdOf(mail) })).length > 1)
    return false
  const inboxes = await ctx.movedMessages.distinct('toLovedOneId', { workspaceId, lovedOneId, isComing: null })
  const ids = messageIdKeys(mail)
  if (inboxes.length === 0 || ids.length === 0) return false
  const entries = await ctx.indexEntries
    .find(
      { workspaceId, lovedOneId: { $in: inboxes }, conversation: { $in: ids } },
      { lovedOneId: 1, conversationId: 1, conversation: 1 },
    )
    .limit(MAX_CONVERSATION)
    .lean()
  const left = { workspaceId, lovedOneId, isComing: null, messageRowId: { $in: entries.map((entry) => entry._id) } }
  const known = new Set(await ctx.movedMessages.distinct('messageRowId', left))
  const moved = entries.filter((entry) => known.has(entry._id))
  if (moved.length === 0) return false
  const { own, others } = await readLinked(ctx, mail, moved)
  for (const other of others.filter((one) => answersOurs(own, one))) {
    const answered = moved.find((one) => publicIdOf(one) === other.id)
    if (answered === undefined) continue
    const to = { workspaceId, lovedOneId: answered.lovedOneId }
    const closed = await findVerified(ctx, to, [answered.conversationId])
    if (!isProven(own) && closed.size > 0) continue
    return (await moveToInbox(ctx, { from: { workspaceId, lovedOneId }, to, messageId: publicIdOf({ _id }) })) > 0
  }
  return false
}
