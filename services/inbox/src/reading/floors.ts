import { isDuplicateKey } from '@family-inbox/service-kit/mongo'
import type { Context } from '../context.ts'
import { type Reader, type ReadFloor, readFloorId } from '../models/read-floor.ts'

/** Whoever looks into an inbox for the first time finds the mail of the last week unread, and not that of years. */
const FIRST_LOOK_BACK_MS = 7 * 86_400_000

/** Where the line between read and unread is in each of these inboxes, by loved one; drawn at the first look. */
export async function findFloors(
  { readFloors }: Pick<Context, 'readFloors'>,
  reader: Reader,
  lovedOneIds: string[],
): Promise<Map<string, Date>> {
  const idOf = new Map(lovedOneIds.map((lovedOneId) => [readFloorId(reader, lovedOneId), lovedOneId]))
  const rows = await readFloors.find({ _id: { $in: [...idOf.keys()] } }).lean()
  const floors = new Map(rows.map(({ _id, receivedAt }) => [idOf.get(_id) ?? '', receivedAt]))
  const first = lovedOneIds.filter((lovedOneId) => !floors.has(lovedOneId))
  if (first.length === 0) return floors
  const receivedAt = new Date(Date.now() - FIRST_LOOK_BACK_MS)
  const { workspaceId } = reader
  await insertMissing(
    readFloors,
    first.map((lovedOneId) => ({ _id: readFloorId(reader, lovedOneId), workspaceId, receivedAt })),
  )
  for (const lovedOneId of first) floors.set(lovedOneId, receivedAt)
  return floors
}

/** A line that another look drew at the same moment is as good. */
async function insertMissing(readFloors: Context['readFloors'], rows: ReadFloor[]): Promise<void> {
  try {
    await readFloors.collection.insertMany(rows as never[], { ordered: false })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
}

/** Raises the line, never lowers it. */
export async function raiseFloor(
  { readFloors }: Pick<Context, 'readFloors'>,
  reader: Reader,
  lovedOneId: string,
  receivedAt: Date,
): Promise<void> {
  await readFloors.updateOne(
    { _id: readFloorId(reader, lovedOneId) },
    { $max: { receivedAt }, $setOnInsert: { workspaceId: reader.workspaceId } },
    { upsert: true },
  )
}
