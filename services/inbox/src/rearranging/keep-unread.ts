import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import { type Message, messageRowId, publicIdOf } from '../models/message.ts'
import { newMark, readMarkId } from '../models/read-mark.ts'
import { readWatermarkId } from '../models/read-watermark.ts'

type Inbox = { workspaceId: string; lovedOneId: string }
type Move = { from: Inbox; to: Inbox }

/** Each inbox has its own time before which mail counts as read, so a mark keeps what a message was to each member. */
export async function keepUnread(
  ctx: Context,
  { from, to }: Move,
  rows: Message[],
  session: ClientSession,
): Promise<void> {
  const { workspaceId } = from
  const watermarks = await ctx.readWatermarks.find({ workspaceId }, null, { session }).lean()
  const timeOf = new Map(watermarks.map(({ _id, receivedAt }) => [_id, receivedAt]))
  const readers = new Set(watermarks.map(({ _id }) => _id.slice(0, _id.indexOf('/'))))
  const marks = [...readers].flatMap((personId) => {
    const isRead = ({ lovedOneId }: Inbox, { receivedAt }: Message) => {
      const watermark = timeOf.get(readWatermarkId({ personId, workspaceId }, lovedOneId))
      return watermark === undefined || receivedAt <= watermark
    }
    return rows
      .filter((row) => isRead(from, row) !== isRead(to, row))
      .map((row) => {
        const _id = messageRowId(to, publicIdOf(row))
        const mark = { ...newMark(personId, { ...row, ...to, _id }), read: isRead(from, row) }
        return {
          updateOne: { filter: { _id: readMarkId(personId, _id) }, update: { $setOnInsert: mark }, upsert: true },
        }
      })
  })
  if (marks.length > 0) await ctx.readMarks.bulkWrite(marks, { session })
}
