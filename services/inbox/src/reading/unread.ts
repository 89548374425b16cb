import type { Context } from '../context.ts'
import type { Reader } from '../models/read-floor.ts'
import { readMarkId } from '../models/read-mark.ts'

/** Counted so far and no further: “99+” says all there is to say. */
export const MAX_UNREAD_COUNT = 100

type Row = { _id: string; lovedOneId: string; receivedAt: Date }

/** Which of these messages a person has not read, by their rows’ keys. */
export async function findUnread(
  { readMarks }: Pick<Context, 'readMarks'>,
  { personId }: Reader,
  floors: ReadonlyMap<string, Date>,
  rows: Row[],
): Promise<Set<string>> {
  const idOf = (row: Row) => readMarkId(personId, row._id)
  const marks = await readMarks.find({ _id: { $in: rows.map(idOf) } }, { read: 1 }).lean()
  const isRead = new Map(marks.map(({ _id, read }) => [_id, read]))
  const unread = rows.filter((row) => !(isRead.get(idOf(row)) ?? isBelow(floors, row)))
  return new Set(unread.map(({ _id }) => _id))
}

function isBelow(floors: ReadonlyMap<string, Date>, { lovedOneId, receivedAt }: Row): boolean {
  const floor = floors.get(lovedOneId)
  return floor !== undefined && receivedAt <= floor
}

/** How much of one inbox a person has not read, up to MAX_UNREAD_COUNT: counted in the keys of indexes alone. */
export async function countUnread(
  { messages, readMarks }: Pick<Context, 'messages' | 'readMarks'>,
  { personId, workspaceId }: Reader,
  lovedOneId: string,
  floor: Date,
): Promise<number> {
  const inbox = { workspaceId, lovedOneId }
  const marks = { ...inbox, personId }
  const [readAbove, unreadBelow] = await Promise.all([
    readMarks.countDocuments({ ...marks, read: true, receivedAt: { $gt: floor } }),
    readMarks.countDocuments({ ...marks, read: false, receivedAt: { $lte: floor } }, { limit: MAX_UNREAD_COUNT }),
  ])
  const above = { ...inbox, receivedAt: { $gt: floor } }
  const room = MAX_UNREAD_COUNT - unreadBelow
  const unreadAbove = room > 0 ? (await messages.countDocuments(above, { limit: readAbove + room })) - readAbove : 0
  return unreadBelow + Math.max(0, unreadAbove)
}
