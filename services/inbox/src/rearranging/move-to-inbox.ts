import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { lockInbox } from '../models/conversation-lock.ts'
import { conversationOf, type Message, messageRowId, publicIdOf } from '../models/message.ts'
import { comingId } from '../models/moved-message.ts'
import { pieceIds } from '../models/original.ts'
import { MAX_REARRANGED, type Rearranged } from '../models/rearranged.ts'
import { type Carried, carryOver, carryStatus } from './carry-over.ts'
import { keepUnread } from './keep-unread.ts'

const TRIES = 5
const COPIES_KEPT_MS = 60_000

const LARGE_FIELDS = { lovedOneId: 1, conversationId: 1, originalHash: 1, size: 1 } as const
type Large = Pick<Message, '_id' | 'lovedOneId' | 'conversationId' | 'size'> & { originalHash: string }

type Inbox = { workspaceId: string; lovedOneId: string }

export type Move = {
  from: Inbox
  /** Of the same workspace. */
  to: Inbox
  messageId: string
  /** Absent for an answer that follows its conversation, which then joins it. */
  by?: { personId: string; name: string; id: string }
}

/**
 * Moves a message with its conversation to another inbox. All of it changes in one transaction, so no crash leaves a part behind;
 * large originals are copied before, and what is left of them is removed after (finish-leaving.ts).
 * @returns how many messages; 0 if it is not there anymore
 */
export async function moveToInbox(ctx: Context, move: Move): Promise<number> {
  const { from, to } = move
  for (let tries = 0; tries < TRIES; tries += 1) {
    const copied = await copyOriginals(ctx, move, await findIds(ctx, move))
    const moved = await ctx.connection.transaction((session) => moveRows(ctx, move, copied, session))
    if (moved === undefined) continue
    if (moved > 0) {
      crashPoint('message-moved')
      for (const { workspaceId, lovedOneId } of [from, to]) ctx.liveUpdates.announce(workspaceId, { lovedOneId })
      for (const name of ['leaving', 'index', 'checks', 'calendar', 'joins', 'files'] as const) ctx.wake[name]()
    }
    return moved
  }
  throw new Error('a conversation changes too often to be moved')
}

/** A message that is not indexed yet is alone. */
async function findIds(ctx: Context, { from, messageId }: Move, session?: ClientSession): Promise<string[]> {
  const _id = messageRowId(from, messageId)
  const row = await ctx.messages.findById(_id, { conversationId: 1 }, { session }).lean()
  if (row === null) return []
  const conversation = { ...from, conversationId: conversationOf(row) }
  const entries = await ctx.indexEntries.find(conversation, { _id: 1 }, { session }).lean()
  return [...new Set([_id, ...entries.map((entry) => entry._id)])]
}

/** @returns the hashes of those that are in both inboxes now */
async function copyOriginals(ctx: Context, { from, to }: Move, ids: string[]): Promise<Set<string>> {
  const large = await ctx.messages
    .find({ _id: { $in: ids }, originalHash: { $exists: true } }, LARGE_FIELDS)
    .lean<Large[]>()
  if (large.length > 0) await expectThem(ctx, to, large)
  for (const { originalHash, size } of large) {
    const targets = pieceIds(to, originalHash, size)
    for (const [index, _id] of pieceIds(from, originalHash, size).entries())
      await ctx.originals.collection
        .aggregate([
          { $match: { _id } },
          { $set: { _id: targets[index] } },
          {
            $merge: {
              into: ctx.originals.collection.collectionName,
              // Newer, so that whoever removes the piece right now finds another one (deleting/purge-aside.ts).
              whenMatched: [{ $set: { receivedAt: { $add: [{ $max: ['$receivedAt', '$$new.receivedAt'] }, 1] } } }],
            },
          },
        ])
        .toArray()
  }
  return new Set(large.map(({ originalHash }) => originalHash))
}

/** The copies of a move that a crash ends are removed after a minute. */
async function expectThem({ movedMessages }: Context, to: Inbox, large: Large[]): Promise<void> {
  const movedAt = new Date()
  const finishAt = new Date(movedAt.getTime() + COPIES_KEPT_MS)
  await movedMessages.bulkWrite(
    large.map((row) => {
      const { _id, lovedOneId: toLovedOneId, originalHash, size } = row
      const there = { ...to, messageRowId: _id, toLovedOneId, conversationId: conversationOf(row), originalHash, size }
      const filter = { _id: comingId(messageRowId(to, publicIdOf(row))) }
      return { updateOne: { filter, update: { $set: { ...there, movedAt, finishAt, isComing: true } }, upsert: true } }
    }),
  )
}

/** Undefined if a large original arrived since they were copied, or the copies were removed. */
async function moveRows(
  ctx: Context,
  move: Move,
  copied: Set<string>,
  session: ClientSession,
): Promise<number | undefined> {
  const { from, to } = move
  for (const inbox of [from, to].sort((a, b) => (a.lovedOneId < b.lovedOneId ? -1 : 1)))
    await lockInbox(ctx, inbox, session)
  const ids = await findIds(ctx, move, session)
  // The native driver returns an original as it is.
  const found = ctx.messages.collection.find({ _id: { $in: ids as never[] } }, { session, promoteBuffers: true })
  const rows = (await found.toArray()) as unknown as Message[]
  const [first] = rows
  if (first === undefined) return 0
  const carried = rows.map((row) => ({
    from: row._id,
    to: messageRowId(to, publicIdOf(row)),
    lovedOneId: to.lovedOneId,
  }))
  const large = rows.filter(({ originalHash }) => originalHash !== undefined)
  const coming = { _id: { $in: carried.map((one) => comingId(one.to)) }, isComing: true }
  const copies = await ctx.movedMessages.countDocuments(coming).session(session)
  if (copies < large.length || large.some(({ originalHash = '' }) => !copied.has(originalHash))) return undefined
  const at = new Date()
  await ctx.messages.collection.insertMany(rows.map((row) => toMoved(row, move, at)) as never[], { session })
  await ctx.messages.collection.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) as never[] } }, { session })
  await carryOver(ctx, carried, session)
  await carryStatus(ctx, { from, to, conversationId: conversationOf(first) }, session)
  await keepUnread(ctx, move, rows, session)
  await leaveTraces(ctx, move, { rows, carried, at }, session)
  return rows.length
}

/** What its arrival started for the other inbox starts again for this one. */
function toMoved(row: Message, { from, to, messageId, by }: Move, at: Date): Message {
  const { rearranged = [], ...fields } = row
  const act: Rearranged[] = by ? [{ ...by, kind: 'moved', at, messageId, from: from.lovedOneId }] : []
  const all = isReturn(rearranged.at(-1), to) ? rearranged.slice(0, -1) : [...rearranged, ...act]
  return {
    ...fields,
    _id: messageRowId(to, publicIdOf(row)),
    lovedOneId: to.lovedOneId,
    ...(all.length > 0 && { rearranged: all.slice(-MAX_REARRANGED) }),
    ...(row.calendarAt && { calendarPending: true as const }),
    ...(!by && { joinPending: true as const }),
  }
}

/** Whoever moves it back takes back what was done. */
function isReturn(latest: Rearranged | undefined, to: Inbox): boolean {
  return latest?.kind === 'moved' && latest.from === to.lovedOneId
}

type Moved = { rows: Message[]; carried: Carried[]; at: Date }

/** So that old links, copies of this mail and answers that still come here lead to where it is. */
async function leaveTraces(
  { movedMessages }: Context,
  { from, to, by }: Move,
  { rows, carried, at }: Moved,
  session: ClientSession,
): Promise<void> {
  const [left, arrived] = [carried.map((one) => one.from), carried.map((one) => one.to)]
  await movedMessages.deleteMany({ _id: { $in: [...arrived, ...arrived.map(comingId)] } }, { session })
  await movedMessages.bulkWrite(
    carried.map((one) => ({
      updateMany: {
        filter: { messageRowId: one.from },
        update: { $set: { messageRowId: one.to, toLovedOneId: to.lovedOneId } },
      },
    })),
    { session },
  )
  await movedMessages.collection.insertMany(
    rows.map((row, index) => ({
      _id: left[index],
      ...from,
      messageRowId: arrived[index],
      toLovedOneId: to.lovedOneId,
      conversationId: conversationOf(row),
      movedAt: at,
      ...(by && { movedByName: by.name }),
      ...(row.calendarAt && { hasCalendar: true }),
      ...(row.originalHash && { originalHash: row.originalHash }),
      size: row.size,
      finishAt: at,
    })) as never[],
    { session },
  )
}
