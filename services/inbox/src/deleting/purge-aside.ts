import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { earliest } from '@family-inbox/service-kit/mongo/rows'
import type { Context } from '../context.ts'
import type { MessageAside } from '../models/message-aside.ts'
import { pieceIds } from '../models/original.ts'
import { findUnsent, removeForGood } from './remove-for-good.ts'

const BATCH = 100
const PAUSE_MS = 60 * 60 * 1000
/** A reply is sent within seconds, unless the network is away. */
const AGAIN_MS = 5000

/** Deletes for good what was in Junk or Deleted long enough, or what a member deleted there. */
export function purgeAside(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: PAUSE_MS,
    dueAt: () => earliest(ctx.messagesAside, 'purgeAt'),
    sweep: () => purgeSome(ctx),
    wake: ctx.wake.purge,
    failureMessage: 'deleted mail could not be purged; retrying',
    logger: ctx.logger,
  })
}

type Row = Pick<MessageAside, '_id' | 'workspaceId' | 'lovedOneId'> & {
  message: { originalHash?: string; size: number }
}

async function purgeSome(ctx: Context): Promise<boolean> {
  const now = Date.now()
  const rows = await ctx.messagesAside
    .find(
      { purgeAt: { $lte: new Date(now) }, moving: null },
      { workspaceId: 1, lovedOneId: 1, 'message.originalHash': 1, 'message.size': 1 },
    )
    .sort({ purgeAt: 1 })
    .limit(BATCH)
    .lean<Row[]>()
  if (rows.length === 0) return false
  const unsent = await findUnsent(
    ctx,
    rows.map(({ _id }) => _id),
  )
  await ctx.messagesAside.updateMany({ _id: { $in: [...unsent] } }, { $set: { purgeAt: new Date(now + AGAIN_MS) } })
  await purge(
    ctx,
    rows.filter(({ _id }) => !unsent.has(_id)),
  )
  return rows.length === BATCH
}

async function purge(ctx: Context, rows: Row[]): Promise<void> {
  const ids = rows.map(({ _id }) => _id)
  await removeForGood(ctx, ids, async () => {
    for (const row of rows) await removeOriginal(ctx, row, ids)
    await ctx.messagesAside.deleteMany({ _id: { $in: ids } })
  })
}

/** Unless another message has the same bytes, or is being stored or moved here with them, which makes the pieces newer. */
export async function removeOriginal(
  ctx: Context,
  { workspaceId, lovedOneId, message }: Row,
  purged: string[],
): Promise<void> {
  const { originalHash, size } = message
  if (originalHash === undefined) return
  const inbox = { workspaceId, lovedOneId }
  const pieces = await ctx.originals
    .find({ _id: { $in: pieceIds(inbox, originalHash, size) } }, { receivedAt: 1 })
    .lean()
  const others = await Promise.all([
    ctx.messages.exists({ ...inbox, originalHash }),
    ctx.messagesAside.exists({ ...inbox, 'message.originalHash': originalHash, _id: { $nin: purged } }),
    ctx.movedMessages.exists({ ...inbox, originalHash, isComing: true }),
  ])
  if (others.some((other) => other !== null)) return
  for (const piece of pieces) await ctx.originals.deleteOne({ _id: piece._id, receivedAt: piece.receivedAt })
}
