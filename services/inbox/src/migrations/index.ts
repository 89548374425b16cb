import type { Migration } from '@family-inbox/service-kit/mongo/migrate'
import type { Connection } from 'mongoose'
import { wordsOf } from '../models/entry-words.ts'
import { INDEXED_FIELDS, type IndexEntry, type IndexedRow } from '../models/index-entry.ts'
import type { Message } from '../models/message.ts'
import { pieceIds } from '../models/original.ts'
import type { Reply } from '../models/reply.ts'
import { collectCorrespondents } from './collect-correspondents.ts'
import { expireComplaints } from './expire-complaints.ts'
import { markFiles } from './mark-files.ts'
import { nameConversations } from './name-conversations.ts'
import { openRecentConversations } from './open-recent-conversations.ts'
import { readTextsAgain } from './read-texts-again.ts'
import { keepRepeatsByWorkspace } from './repeats-by-workspace.ts'

/** Schema migrations, oldest first. Never remove or reorder one. */
export const migrations = [
  dateOriginals,
  indexWordOrder,
  nameConversations,
  indexWordOrder,
  openRecentConversations,
  readTextsAgain,
  expireComplaints,
  markFiles,
  // Its first version knew only some types and names of PDFs.
  markFiles,
  collectCorrespondents,
  sealValues,
  keepRepeatsByWorkspace,
] as const satisfies readonly Migration[]

/** Nothing changes at once (storage/seal-earlier.ts), but an older version could not read what is sealed, and is refused. */
async function sealValues(): Promise<void> {}

const BATCH_SIZE = 500

type Row = Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'originalHash' | 'size' | 'receivedAt'>

const FIELDS = { workspaceId: 1, lovedOneId: 1, originalHash: 1, size: 1, receivedAt: 1 } as const

/** Sets `receivedAt` on stored pieces to that of the latest mail they belong to, so retention can delete them. */
async function dateOriginals(connection: Connection): Promise<void> {
  const messages = connection.collection<Row>('messages')
  for (let last = ''; ; ) {
    const page = messages
      .find({ _id: { $gt: last } }, { projection: FIELDS })
      .sort({ _id: 1 })
      .limit(BATCH_SIZE)
    const rows = await page.toArray()
    const dated = rows.filter(({ originalHash }) => originalHash !== undefined)
    if (dated.length > 0) await connection.collection<{ _id: string }>('originals').bulkWrite(dated.map(toUpdate))
    const end = rows.at(-1)
    if (end === undefined) return
    last = end._id
  }
}

function toUpdate(row: Row) {
  const filter = { _id: { $in: pieceIds(row, row.originalHash ?? '', row.size) } }
  return { updateMany: { filter, update: { $max: { receivedAt: row.receivedAt } } } }
}

/** Their texts are up to 100 KB each. */
const TEXTS = 100

/** Indexes earlier mail again: first for the words in order, later for the people. */
async function indexWordOrder(connection: Connection): Promise<void> {
  const entries = connection.collection<IndexEntry>('index_entries')
  for (let last = ''; ; ) {
    const page = connection
      .collection<IndexedRow>('messages')
      .find({ _id: { $gt: last }, text: { $exists: true } }, { projection: INDEXED_FIELDS })
      .sort({ _id: 1 })
      .limit(TEXTS)
    const rows = await page.toArray()
    const end = rows.at(-1)
    if (end === undefined) return
    const replies = await connection
      .collection<Pick<Reply, 'messageRowId' | 'name'>>('replies')
      .find({ messageRowId: { $in: rows.map(({ _id }) => _id) } })
      .toArray()
    const namesOf = (id: string) => replies.filter(({ messageRowId }) => messageRowId === id).map(({ name }) => name)
    const updates = rows.map((row) => ({
      updateOne: { filter: { _id: row._id }, update: { $set: wordsOf(row, namesOf(row._id)) } },
    }))
    await entries.bulkWrite(updates, { ordered: false })
    last = end._id
  }
}
