import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import { lockInbox } from '../models/conversation-lock.ts'
import type { ConversationStatus } from '../models/conversation-status.ts'
import { messageNotFound, messageRowId } from '../models/message.ts'
import type { Rearranged } from '../models/rearranged.ts'
import { conversationIdOf, findMembers, type Inbox, mergeConversations, setConversation } from './join-by-hand.ts'

/** Takes back a join or a taking out. Nothing happens if that was done already, or if the other conversation is gone. */
export async function undoRearrangement(ctx: Context, inbox: Inbox, messageId: string, id: string): Promise<void> {
  const _id = messageRowId(inbox, messageId)
  await ctx.connection.transaction(async (session) => {
    await lockInbox(ctx, inbox, session)
    const row = await ctx.messages.findById(_id, { rearranged: 1 }, { session }).lean()
    if (row === null) throw messageNotFound()
    const act = row.rearranged?.find((one) => one.id === id)
    if (act?.undo === undefined) return
    if (act.kind === 'joined') await separate(ctx, inbox, messageId, { ...act, undo: act.undo }, session)
    else await putBack(ctx, inbox, messageId, act.undo.beside, session)
    const members = await findMembers(ctx, inbox, [await conversationIdOf(ctx, inbox, messageId, session)], session)
    await ctx.messages.updateMany({ _id: { $in: members } }, { $pull: { rearranged: { id } } }, { session })
  })
}

async function putBack(
  ctx: Context,
  inbox: Inbox,
  messageId: string,
  besideId: string,
  session: ClientSession,
): Promise<void> {
  if ((await ctx.indexEntries.exists({ _id: messageRowId(inbox, besideId) }).session(session)) === null) return
  const own = await conversationIdOf(ctx, inbox, messageId, session)
  const beside = await conversationIdOf(ctx, inbox, besideId, session)
  if (own !== beside) await mergeConversations(ctx, inbox, [own, beside], session)
  await ctx.messages.updateOne({ _id: messageRowId(inbox, messageId) }, { $unset: { takenOutOf: 1 } }, { session })
}

type Joined = Rearranged & { undo: NonNullable<Rearranged['undo']> }

/** Mail that has joined since stays with the other conversation. */
async function separate(
  ctx: Context,
  inbox: Inbox,
  messageId: string,
  { id, undo }: Joined,
  session: ClientSession,
): Promise<void> {
  const { was, beside, statuses = [], version } = undo
  const now = await conversationIdOf(ctx, inbox, messageId, session)
  const members = await findMembers(ctx, inbox, [now], session)
  const rows = await ctx.messages.find({ _id: { $in: members }, 'rearranged.id': id }, { _id: 1 }, { session }).lean()
  const own = new Set(rows.map(({ _id }) => _id))
  const others = members.filter((one) => !own.has(one))
  if (others.length === 0) return
  await setConversation(ctx, [...own], was, session)
  await setConversation(ctx, others, beside, session)
  const statusId = messageRowId(inbox, now)
  const current = await ctx.conversationStatuses.findById(statusId, null, { session }).lean()
  if (current === null) return
  await ctx.conversationStatuses.deleteOne({ _id: statusId }, { session })
  // What somebody has changed since holds for both.
  const isUnchanged = current.version === version
  const restored = [was, beside].flatMap((one): ConversationStatus[] => {
    const _id = messageRowId(inbox, one)
    const before = statuses.find((status) => status._id === _id)
    if (!isUnchanged) return [{ ...current, _id, version: current.version + 1 }]
    return before ? [{ ...before, version: current.version + 1 }] : []
  })
  for (const status of restored)
    await ctx.conversationStatuses.collection.replaceOne({ _id: status._id as never }, status, {
      session,
      upsert: true,
    })
}
