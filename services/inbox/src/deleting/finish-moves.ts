import { type CalendarChange, SenderProof } from '@family-inbox/proto/calendar/v1/calendar_change'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { declineProposal } from '@family-inbox/workspace-kit/decide-proposals'
import { waitingProposals } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { conversationOf, type Message, messageRowId, publicIdOf } from '../models/message.ts'
import type { MessageAside } from '../models/message-aside.ts'
import { replyProposals } from '../replying/reply-proposals.ts'

const BATCH = 200
/** In one transaction: each may have an original of 64 KB. */
const BACK_AT_ONCE = 50

/** Ends moves that a crash or an outage left. Safe on any number of replicas: each step can be repeated. */
export function sweepMoves(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: async () => ((await ctx.messagesAside.exists({ moving: { $exists: true } })) ? new Date(0) : undefined),
    async sweep() {
      const rows = await ctx.messagesAside
        .find({ moving: { $exists: true } })
        .limit(BATCH)
        .lean<MessageAside[]>()
      await finishMoves(ctx, rows)
      return rows.length === BATCH
    },
    wake: ctx.wake.aside,
    failureMessage: 'moves to or from Junk and Deleted have not ended; retrying',
    logger: ctx.logger,
  })
}

/** Removes what has moved from where it was. */
export async function finishMoves(ctx: Context, rows: MessageAside[]): Promise<void> {
  await finishOut(
    ctx,
    rows.filter(({ moving }) => moving === 'out'),
  )
  await finishBack(
    ctx,
    rows.filter(({ moving }) => moving === 'back'),
  )
  const inboxes = new Map(rows.map((row) => [messageRowId(row, ''), row]))
  for (const { workspaceId, lovedOneId } of inboxes.values()) ctx.liveUpdates.announce(workspaceId, { lovedOneId })
}

async function finishOut(ctx: Context, rows: MessageAside[]): Promise<void> {
  if (rows.length === 0) return
  const ids = await removeMoved(
    ctx,
    rows.map(({ _id }) => _id),
  )
  for (const row of rows.filter(({ _id }) => ids.includes(_id))) {
    await takeStatus(ctx, row)
    await declineWaiting(ctx, row)
    if (row.withdraws && row.message.calendarAt !== undefined) {
      const { workspaceId, lovedOneId, message } = row
      const { receivedAt } = message
      await withdrawEvents(ctx, { workspaceId, lovedOneId, messageId: publicIdOf(message), receivedAt })
    }
  }
  await ctx.messagesAside.updateMany({ _id: { $in: ids }, moving: 'out' }, { $unset: { moving: 1 } })
}

/**
 * Removes what still moves out: another process may have ended the move since, and somebody may have put the mail back.
 * @returns the ids of what was still moving
 */
function removeMoved({ connection, messages, messagesAside, indexEntries }: Context, ids: string[]): Promise<string[]> {
  return connection.transaction(async (session) => {
    const isMoving = { _id: { $in: ids }, moving: 'out' as const }
    // A write: the end of this move at the same moment is a conflict, and the transaction looks again.
    await messagesAside.updateMany(isMoving, { $set: { leftAt: new Date() } }, { session })
    const moving = (await messagesAside.find(isMoving, { _id: 1 }, { session }).lean()).map(({ _id }) => _id)
    await messages.deleteMany({ _id: { $in: moving } }, { session })
    await indexEntries.deleteMany({ _id: { $in: moving } }, { session })
    return moving
  })
}

/** The last message of a conversation takes its status with it. */
async function takeStatus(ctx: Context, { _id, message }: MessageAside): Promise<void> {
  const { workspaceId, lovedOneId } = message
  const conversationId = conversationOf(message)
  if (await ctx.indexEntries.exists({ workspaceId, lovedOneId, conversationId })) return
  const statusId = messageRowId(message, conversationId)
  const status = await ctx.conversationStatuses.findById(statusId).lean()
  if (status === null) return
  await ctx.messagesAside.updateOne({ _id }, { $set: { status } })
  await ctx.conversationStatuses.deleteOne({ _id: statusId })
}

/** An assistant's reply to it is no longer waited for. */
async function declineWaiting(ctx: Context, { _id, workspaceId, movedBy, message }: MessageAside): Promise<void> {
  if (!message.proposed || movedBy === undefined) return
  const waiting = await ctx.replyProposals.find({ messageRowId: _id, ...waitingProposals() }, { _id: 1 }).lean()
  for (const proposal of waiting)
    await declineProposal(replyProposals(ctx), { workspaceId, ...movedBy }, proposal._id).catch(ignoreDecided)
}

/** Somebody was faster. */
function ignoreDecided(error: unknown): void {
  if ((error as { status?: unknown }).status !== 'FAILED_PRECONDITION') throw error
}

type Withdrawn = Pick<CalendarChange, 'workspaceId' | 'lovedOneId' | 'messageId'> & { receivedAt: Date }

/** Lets the calendar forget what only this mail is about. */
export function withdrawEvents(ctx: Context, mail: Withdrawn): Promise<void> {
  return ctx.calendarChanges.publish({
    ...mail,
    senderAddress: '',
    senderName: '',
    proof: SenderProof.UNSPECIFIED,
    events: [],
    withdrawn: true,
  })
}

/**
 * All at once, so that a process that was slow brings nothing back: another may have ended the move since, and somebody may have
 * deleted the mail again. Its search entry only names its conversation until it is indexed: so it stays in that one.
 */
async function finishBack(ctx: Context, rows: MessageAside[]): Promise<void> {
  for (let start = 0; start < rows.length; start += BACK_AT_ONCE)
    await putBack(
      ctx,
      rows.slice(start, start + BACK_AT_ONCE).map(({ _id }) => _id),
    )
  if (rows.length === 0) return
  crashPoint('moved-back')
  ctx.wake.index()
  ctx.wake.checks()
  ctx.wake.calendar()
}

function putBack({ connection, messages, messagesAside, ...ctx }: Context, ids: string[]): Promise<void> {
  return connection.transaction(async (session) => {
    const isMoving = { _id: { $in: ids }, moving: 'back' as const }
    // As in removeMoved.
    await messagesAside.updateMany(isMoving, { $set: { leftAt: new Date() } }, { session })
    // The native driver returns an original as it is.
    const found = messagesAside.collection.find(isMoving as never, { session, promoteBuffers: true })
    const rows = (await found.toArray()) as unknown as MessageAside[]
    if (rows.length === 0) return
    const statuses = rows.flatMap(({ status }) => status ?? [])
    await ctx.indexEntries.bulkWrite(rows.map(toEntry).map(unlessThere), { session })
    await ctx.conversationStatuses.bulkWrite(statuses.map(unlessThere), { session })
    const restarted = rows.map(({ message }) => unlessThere(startAgain(message)))
    await messages.collection.bulkWrite(restarted as never, { session })
    await messagesAside.deleteMany(isMoving, { session })
  })
}

function toEntry({ _id, message }: MessageAside) {
  const { workspaceId, lovedOneId } = message
  return { _id, workspaceId, lovedOneId, conversationId: conversationOf(message) }
}

/** Adds a row, unless it is there. */
function unlessThere<Row extends { _id: string }>({ _id, ...fields }: Row) {
  return { updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true } }
}

/** What its arrival started, and its move ended, starts again. */
function startAgain(message: Message): Message {
  return {
    ...message,
    indexPending: true,
    ...(message.calendarAt && { calendarPending: true }),
    ...(message.authenticity && { joinPending: true }),
  }
}
