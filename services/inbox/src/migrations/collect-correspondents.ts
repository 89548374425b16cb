import type { Connection } from 'mongoose'
import { type Correspondent, HEARD_FIELDS, type HeardRow, heardFrom, wroteTo } from '../models/correspondent.ts'
import type { Reply } from '../models/reply.ts'

const BATCH_SIZE = 500

type Update = ReturnType<typeof wroteTo>

/** Makes each family's address book from the mail and the replies of earlier versions. Repeating it changes nothing. */
export async function collectCorrespondents(connection: Connection): Promise<void> {
  // The newest last: its name is the one that stays.
  const mail = connection
    .collection<HeardRow>('messages')
    .find(
      { authenticity: { $exists: true }, 'from.address': { $exists: true } },
      { projection: { ...HEARD_FIELDS, _id: 0 } },
    )
    .sort({ workspaceId: 1, lovedOneId: 1, receivedAt: 1, _id: 1 })
  await collect(connection, mail, heardFrom)
  const replies = connection
    .collection<Reply>('replies')
    .find({}, { projection: { workspaceId: 1, to: 1, createdAt: 1 } })
    .batchSize(BATCH_SIZE)
  await collect(connection, replies, wroteTo)
}

async function collect<Row>(
  connection: Connection,
  rows: AsyncIterable<Row>,
  toUpdate: (row: Row) => Update | undefined,
) {
  const batch: Update[] = []
  const write = async () => {
    const updates = batch.splice(0)
    if (updates.length > 0) await connection.collection<Correspondent>('correspondents').bulkWrite(updates as never[])
  }
  for await (const row of rows) {
    const update = toUpdate(row)
    if (update !== undefined) batch.push(update)
    if (batch.length >= BATCH_SIZE) await write()
  }
  await write()
}
