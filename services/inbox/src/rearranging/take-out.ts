import { newId } from '@family-inbox/service-kit/ids/ids'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import { lockInbox } from '../models/conversation-lock.ts'
import { messageRowId, publicIdOf } from '../models/message.ts'
import { conversationIdOf, type Inbox, type Member, record, setConversation } from './join-by-hand.ts'

/**
 * Makes a message a conversation of its own, in one step, with the status of the one it was in.
 * @returns the id to undo it with; empty if it was alone already
 */
export function takeOut(ctx: Context, inbox: Inbox, messageId: string, by: Member): Promise<string> {
  const _id = messageRowId(inbox, messageId)
  return ctx.connection.transaction(async (session) => {
    await lockInbox(ctx, inbox, session)
    const was = await conversationIdOf(ctx, inbox, messageId, session)
    const entries = await ctx.indexEntries
      .find({ ...inbox, conversationId: was }, { receivedAt: 1 }, { session })
      .sort({ receivedAt: -1, _id: -1 })
      .lean()
    const [newestLeft] = entries.filter((entry) => entry._id !== _id)
    const own = entries.find((entry) => entry._id === _id)
    if (newestLeft === undefined || own === undefined) return ''
    // Those that stay keep their id, which may be that of this message.
    const conversationId = newId('con')
    await setConversation(ctx, [_id], conversationId, session)
    await ctx.messages.updateOne({ _id }, { $set: { takenOutOf: was } }, { session })
    await copyStatus(ctx, inbox, { was, conversationId, left: newestLeft.receivedAt, own: own.receivedAt }, session)
    const undo = { was, beside: publicIdOf(newestLeft) }
    const done = { id: newId('rea'), kind: 'taken_out' as const, ...by, at: new Date(), messageId, undo }
    await record(ctx, [], _id, done, session)
    return done.id
  })
}

type Split = { was: string; conversationId: string; left: Date; own: Date }

/** Both are as open, or as done, as the one was: nobody loses what they had to do. */
async function copyStatus(
  { conversationStatuses }: Context,
  inbox: Inbox,
  { was, conversationId, left, own }: Split,
  session: ClientSession,
): Promise<void> {
  const statusId = messageRowId(inbox, was)
  const status = await conversationStatuses.findById(statusId, null, { session }).lean()
  if (status === null) return
  const { handedOver: _notified, ...copied } = status
  const added = { ...copied, _id: messageRowId(inbox, conversationId), mailAt: own, version: 1 }
  await conversationStatuses.collection.insertOne(added as never, { session })
  const change = { $set: { mailAt: left }, $inc: { version: 1 } }
  await conversationStatuses.updateOne({ _id: statusId }, change, { session })
}
