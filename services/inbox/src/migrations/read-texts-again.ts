import type { ParsedMessage } from '@family-inbox/mail-reader/parsed-message'
import { categorize } from '@family-inbox/mail-reader/text/category'
import { createMessageParser, type MessageParser } from '@family-inbox/mail-reader/threads/parse-in-worker'
import { createReaderPool } from '@family-inbox/mail-reader/threads/reader-pool'
import type { Connection } from 'mongoose'
import { wordsOf } from '../models/entry-words.ts'
import { INDEXED_FIELDS, type IndexEntry } from '../models/index-entry.ts'
import type { Message } from '../models/message.ts'
import { ORIGINAL_FIELDS, originalModel, readOriginal } from '../models/original.ts'
import type { Reply } from '../models/reply.ts'

/** Without their contents, which are read one at a time. */
const BATCH_SIZE = 200
/** A fallback in place of a text would stay. */
const DEADLINE_MS = 60_000
/** The clocks of two replicas may differ by this. */
const SKEW_MS = 60_000

const FIELDS = {
  ...ORIGINAL_FIELDS,
  ...INDEXED_FIELDS,
  envelope: 1,
  automated: 1,
  'attachments.contentType': 1,
} as const

type Candidate = Pick<Message, '_id' | 'hasMarkup' | 'textConverted' | 'receivedAt'>
/** Mail was sealed only later. */
const PLAIN = { open: async <Rows>(rows: Rows) => rows }

/** In the collection of the schema version, until all is done. */
type Progress = { _id: 'texts'; last: string; startedAt: Date; arrivedFrom: Date }

/**
 * Reads mail again if its plain part became its text, since that part may be a placeholder. Changes only what a reader sees
 * of the text, and only where that is now the HTML's: what the family did with the message stays. Continues after a crash.
 */
export async function readTextsAgain(connection: Connection): Promise<void> {
  await using readers = createReaderPool(DEADLINE_MS)
  const parser = createMessageParser(readers)
  const steps = connection.collection<Progress>('schema')
  const begun = { last: '', startedAt: new Date(), arrivedFrom: new Date(0) }
  await steps.updateOne({ _id: 'texts' }, { $setOnInsert: begun }, { upsert: true })
  for (;;) {
    const step = await steps.findOne({ _id: 'texts' })
    // Another replica that took over has finished.
    if (step === null) return
    const { last, startedAt, arrivedFrom } = step
    const rows = await findRows(connection, last)
    for (const row of rows)
      if (row.hasMarkup && !row.textConverted && row.receivedAt >= arrivedFrom)
        await readAgain(connection, parser, row._id)
    const end = rows.at(-1)
    if (end === undefined && arrivedFrom.getTime() > 0) break
    // The second round reads what replicas of the previous version have stored meanwhile.
    const next = end ? { last: end._id } : { last: '', arrivedFrom: new Date(startedAt.getTime() - SKEW_MS) }
    await steps.updateOne({ _id: 'texts' }, { $set: next })
  }
  await steps.deleteOne({ _id: 'texts' })
}

function findRows(connection: Connection, last: string): Promise<Candidate[]> {
  return connection
    .collection<Candidate>('messages')
    .find({ _id: { $gt: last } }, { projection: { hasMarkup: 1, textConverted: 1, receivedAt: 1 } })
    .sort({ _id: 1 })
    .limit(BATCH_SIZE)
    .toArray()
}

async function readAgain(connection: Connection, parser: MessageParser, _id: string): Promise<void> {
  const messages = connection.collection<Message>('messages')
  const row = await messages.findOne({ _id }, { projection: FIELDS, promoteBuffers: true })
  const raw = row && (await readOriginal({ originals: originalModel(connection), workspaceKeys: PLAIN }, row))
  if (!row || !raw) return
  const parsed = await parser.parse(raw, { nullReturnPath: row.envelope?.sender === '' })
  if (parsed.unreadable || !parsed.textConverted || parsed.text === row.text) return
  const { text, preview, truncated, forwardingConfirmation } = parsed
  const category = newCategory(row, parsed)
  // The message last: until it has its text, a crash repeats both.
  await updateEntry(connection, { ...row, text }, category)
  const shown = {
    text,
    preview,
    truncated,
    textConverted: true,
    ...(forwardingConfirmation && { forwardingConfirmation }),
  }
  await messages.updateOne({ _id }, [{ $set: { ...literally(shown), category } }])
}

/** An expression for an update: a category that somebody chose stays, also if that happens at the same moment. */
function newCategory(row: Message, { category }: ParsedMessage) {
  const { subject, text, automated, attachments, forwardingConfirmation } = row
  const invitation = attachments.some(({ contentType }) => /^(?:text\/calendar|application\/ics)$/.test(contentType))
  const found = forwardingConfirmation ? 'automated' : categorize({ subject, text, automated, invitation })
  return { $cond: [{ $eq: ['$category', found] }, category, '$category'] }
}

async function updateEntry(connection: Connection, row: Message, category: object): Promise<void> {
  const repliers = await connection
    .collection<Pick<Reply, 'messageRowId' | 'name'>>('replies')
    .find({ messageRowId: row._id }, { projection: { name: 1 } })
    .toArray()
  const words = wordsOf(
    row,
    repliers.map(({ name }) => name),
  )
  const entries = connection.collection<IndexEntry>('index_entries')
  await entries.updateOne({ _id: row._id }, [{ $set: { ...literally(words), category } }])
}

/** A text may contain what looks like an expression. */
function literally(fields: object): Record<string, { $literal: unknown }> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { $literal: value }]))
}
