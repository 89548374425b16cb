import type { Context } from '../context.ts'
import type { Message } from '../models/message.ts'
import { newMark, readMarkId } from '../models/read-mark.ts'
import type { Reader } from '../models/read-watermark.ts'
import { advanceWatermark } from './read-watermarks.ts'

type Row = Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'receivedAt'>

/** Marks a message read; `readAt` keeps the first time. */
export async function markRead(ctx: Context, reader: Reader, row: Row): Promise<void> {
  const _id = readMarkId(reader.personId, row._id)
  const mark = { ...newMark(reader.personId, row), read: true }
  await ctx.readMarks.updateOne({ _id }, [{ $set: { ...mark, readAt: { $ifNull: ['$readAt', '$$NOW'] } } }], {
    upsert: true,
    updatePipeline: true,
  })
  await advanceWatermark(ctx, reader, row.lovedOneId)
}

/** Marks a message unread; `readAt` stays. */
export async function markUnread(ctx: Context, { personId }: Reader, row: Row): Promise<void> {
  const _id = readMarkId(personId, row._id)
  await ctx.readMarks.updateOne({ _id }, { $set: { ...newMark(personId, row), read: false } }, { upsert: true })
}
