import type { Connection } from 'mongoose'
import { conversationKeys, MAX_CONVERSATION } from '../models/conversation-keys.ts'
import type { IndexEntry } from '../models/index-entry.ts'
import { type Message, publicIdOf } from '../models/message.ts'
import { groupMessages } from './group-messages.ts'

const BATCH_SIZE = 1000

const FIELDS = {
  workspaceId: 1,
  lovedOneId: 1,
  messageIdHeader: 1,
  inReplyTo: 1,
  references: 1,
  subject: 1,
  from: 1,
  originalSender: 1,
  sentAt: 1,
  receivedAt: 1,
} as const

/** Replaces the fields that a mail is missing. */
const UNKNOWN = { references: [], subject: '', from: { name: '', address: '' }, receivedAt: new Date(0) }

type Row = Pick<Message, '_id' | keyof typeof FIELDS>
type Keyed = { rowId: string; id: string; own: string[]; sought: string[] }

/** Gives the messages of each inbox their conversation ids. Stored keys of entries include those of our replies. */
export async function nameConversations(connection: Connection): Promise<void> {
  let inbox = ''
  const keyed: Keyed[] = []
  for (let last = ''; ; ) {
    const page = connection
      .collection<Row>('messages')
      .find({ _id: { $gt: last } }, { projection: FIELDS })
      .sort({ _id: 1 })
      .limit(BATCH_SIZE)
    const rows = await page.toArray()
    const replyKeys = await findStoredKeys(connection, rows)
    for (const row of rows) {
      const rowInbox = `${row.workspaceId}/${row.lovedOneId}`
      if (rowInbox !== inbox) await write(connection, keyed.splice(0))
      inbox = rowInbox
      keyed.push(toKeyed(row, replyKeys.get(row._id) ?? []))
    }
    const end = rows.at(-1)
    if (end === undefined) break
    last = end._id
  }
  await write(connection, keyed)
}

async function findStoredKeys(connection: Connection, rows: Row[]): Promise<Map<string, string[]>> {
  const entries = await connection
    .collection<IndexEntry>('index_entries')
    .find({ _id: { $in: rows.map(({ _id }) => _id) } }, { projection: { conversation: 1 } })
    .toArray()
  return new Map(entries.map(({ _id, conversation }) => [_id, conversation ?? []]))
}

function toKeyed(row: Row, stored: string[]): Keyed {
  const { own, sought } = conversationKeys({ ...UNKNOWN, ...row })
  return {
    rowId: row._id,
    id: publicIdOf(row),
    own: [...new Set([...own, ...stored])],
    // Stored keys beyond its own are those of replies.
    sought: [...sought, ...stored.filter((key) => !own.includes(key))],
  }
}

async function write(connection: Connection, keyed: Keyed[]): Promise<void> {
  const conversationOf = groupMessages(keyed, MAX_CONVERSATION)
  for (let from = 0; from < keyed.length; from += BATCH_SIZE) {
    const part = keyed.slice(from, from + BATCH_SIZE)
    const updates = part.map(({ rowId, id, own }) => ({
      filter: { _id: rowId },
      set: { conversationId: conversationOf.get(id) ?? id },
      own,
    }))
    await connection.collection<{ _id: string }>('messages').bulkWrite(
      updates.map(({ filter, set }) => ({ updateOne: { filter, update: { $set: set } } })),
      { ordered: false },
    )
    await connection.collection<IndexEntry>('index_entries').bulkWrite(
      updates.map(({ filter, set, own }) => ({
        updateOne: { filter, update: { $set: set, $addToSet: { conversation: { $each: own } } } },
      })),
      { ordered: false },
    )
  }
}
