import { newId } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import { joinStatuses } from '../conversations/join-statuses.ts'
import { MAX_CONVERSATION } from '../models/conversation-keys.ts'
import { lockInbox } from '../models/conversation-lock.ts'
import { messageNotFound, messageRowId } from '../models/message.ts'
import { MAX_REARRANGED, type Rearranged } from '../models/rearranged.ts'

export type Inbox = { workspaceId: string; lovedOneId: string }
export type Member = { personId: string; name: string }
type Join = { messageId: string; withMessageId: string; seenId: string }

/**
 * Makes one conversation of two, in one step. Its statuses merge as when mail joins.
 * @returns the id to undo it with; empty if they were one already
 */
export function joinByHand(ctx: Context, inbox: Inbox, join: Join, by: Member): Promise<string> {
  const { messageId, withMessageId, seenId } = join
  return ctx.connection.transaction(async (session) => {
    await lockInbox(ctx, inbox, session)
    const was = await conversationIdOf(ctx, inbox, messageId, session)
    const beside = await conversationIdOf(ctx, inbox, withMessageId, session)
    if (was === beside) return ''
    if (seenId !== '' && seenId !== was) throw await rearrangedFirst(ctx, inbox, messageId, session)
    const statusIds = [was, beside].map((id) => messageRowId(inbox, id))
    const statuses = await ctx.conversationStatuses.find({ _id: { $in: statusIds } }, null, { session }).lean()
    const moved = await findMembers(ctx, inbox, [was], session)
    const into = await mergeConversations(ctx, inbox, [was, beside], session)
    const status = await ctx.conversationStatuses.findById(messageRowId(inbox, into), null, { session }).lean()
    const undo = { was, beside, ...(statuses.length > 0 && { statuses, version: status?.version ?? 0 }) }
    const done = { id: newId('rea'), kind: 'joined' as const, ...by, at: new Date(), messageId }
    await record(ctx, moved, messageRowId(inbox, messageId), { ...done, undo }, session)
    const all = await findMembers(ctx, inbox, [into], session)
    await ctx.messages.updateMany({ _id: { $in: all } }, { $set: { joinedByHand: true } }, { session })
    // Whoever puts a message back with what it was taken out of takes that back, too.
    await ctx.messages.updateMany(
      { _id: { $in: all }, takenOutOf: { $in: [was, beside] } },
      { $unset: { takenOutOf: 1 } },
      { session },
    )
    return done.id
  })
}

/** Gives all messages of these conversations the id of the one with the oldest, as joins of arriving mail do. @returns it */
export async function mergeConversations(
  ctx: Context,
  inbox: Inbox,
  conversations: string[],
  session: ClientSession,
): Promise<string> {
  const rows = await ctx.indexEntries
    .find({ ...inbox, conversationId: { $in: conversations } }, { conversationId: 1 }, { session })
    .sort({ receivedAt: 1, _id: 1 })
    .limit(MAX_CONVERSATION + 1)
    .lean()
  if (rows.length > MAX_CONVERSATION)
    throw new StatusError(
      'FAILED_PRECONDITION',
      `A conversation can have ${MAX_CONVERSATION} messages. Nothing was changed.`,
      { field: 'withMessageId' },
    )
  const into = rows[0]?.conversationId ?? ''
  await setConversation(
    ctx,
    rows.map(({ _id }) => _id),
    into,
    session,
  )
  await joinStatuses(ctx, inbox, conversations, into, session)
  return into
}

export async function setConversation(
  { indexEntries, messages }: Context,
  ids: string[],
  conversationId: string,
  session: ClientSession,
): Promise<void> {
  const change = [{ _id: { $in: ids } }, { $set: { conversationId } }, { session }] as const
  await indexEntries.updateMany(...change)
  await messages.updateMany(...change)
}

/** Of all messages that it concerns. How to undo it is kept with one of them. */
export async function record(
  { messages }: Context,
  ids: string[],
  headId: string,
  { undo, ...act }: Rearranged,
  session: ClientSession,
): Promise<void> {
  const push = (one: Rearranged) => ({ $push: { rearranged: { $each: [one], $slice: -MAX_REARRANGED } } })
  await messages.updateMany({ _id: { $in: ids.filter((id) => id !== headId) } }, push(act), { session })
  await messages.updateOne({ _id: headId }, push({ ...act, ...(undo && { undo }) }), { session })
}

export async function findMembers(
  { indexEntries }: Context,
  inbox: Inbox,
  conversations: string[],
  session: ClientSession,
): Promise<string[]> {
  const found = { ...inbox, conversationId: { $in: conversations } }
  return (await indexEntries.find(found, { _id: 1 }, { session }).lean()).map(({ _id }) => _id)
}

/** @throws StatusError NOT_FOUND, also for a message of another inbox; UNAVAILABLE for one that is not indexed yet */
export async function conversationIdOf(
  { indexEntries, messages }: Context,
  inbox: Inbox,
  messageId: string,
  session: ClientSession,
): Promise<string> {
  const _id = messageRowId(inbox, messageId)
  if ((await messages.exists({ _id }).session(session)) === null) throw messageNotFound()
  const entry = await indexEntries.findById(_id, { conversationId: 1 }, { session }).lean()
  if (entry !== null) return entry.conversationId
  throw new StatusError('UNAVAILABLE', 'This message has just arrived. Try again.')
}

async function rearrangedFirst(
  { messages }: Context,
  inbox: Inbox,
  messageId: string,
  session: ClientSession,
): Promise<StatusError> {
  const row = await messages.findById(messageRowId(inbox, messageId), { rearranged: 1 }, { session }).lean()
  const name = row?.rearranged?.at(-1)?.name
  const who =
    name === undefined ? 'This has joined another conversation' : `${name} has put this with another conversation`
  return new StatusError('FAILED_PRECONDITION', `${who} meanwhile. Nothing was changed.`)
}
