import type { MarkAllReadRequest, MarkAllReadResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { raiseWatermark, STILL_ARRIVING_MS } from '../finding/read-state.ts'
import { newMark, readMarkId } from '../models/read-mark.ts'
import type { Reader } from '../models/read-watermark.ts'

/** More than arrive in a minute; any beyond stay unread. */
const MAX_RECENT = 1000

/** Advances the watermark, and adds marks where mail may still arrive below it. Later messages stay unread. */
export function markAllRead(ctx: Context): Handler<MarkAllReadRequest, MarkAllReadResponse> {
  return async ({ lovedOneId, seenUntil }, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call, lovedOneId === '' ? {} : { lovedOneId })
    if (seenUntil === undefined) throw invalidArgument('seenUntil', 'seenUntil is required.')
    const lovedOneIds =
      lovedOneId === '' ? await ctx.inboxAddresses.distinct('lovedOneId', { workspaceId }) : [lovedOneId]
    await Promise.all(lovedOneIds.map((id) => markInbox(ctx, { personId, workspaceId }, id, seenUntil)))
    return {}
  }
}

async function markInbox(ctx: Context, reader: Reader, lovedOneId: string, seenUntil: Date): Promise<void> {
  const { personId, workspaceId } = reader
  const line = new Date(Math.min(seenUntil.getTime(), Date.now() - STILL_ARRIVING_MS))
  const inbox = { workspaceId, lovedOneId }
  const recent = await ctx.messages
    .find({ ...inbox, receivedAt: { $gt: line, $lte: seenUntil } }, { workspaceId: 1, lovedOneId: 1, receivedAt: 1 })
    .limit(MAX_RECENT)
    .lean()
  await Promise.all([
    raiseWatermark(ctx, reader, lovedOneId, line),
    ctx.readMarks.updateMany(
      { ...inbox, personId, read: false, receivedAt: { $lte: seenUntil } },
      { $set: { read: true } },
    ),
    recent.length > 0 &&
      ctx.readMarks.bulkWrite(
        recent.map((row) => ({
          updateOne: {
            filter: { _id: readMarkId(personId, row._id) },
            update: { $set: { ...newMark(personId, row), read: true } },
            upsert: true,
          },
        })),
        { ordered: false },
      ),
  ])
}
