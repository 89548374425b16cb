import type { MessageField, MessageMatches } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { fieldsOf } from '../models/entry-words.ts'
import type { IndexEntry } from '../models/index-entry.ts'
import type { Phrase } from '../models/index-words.ts'
import { type Message, publicIdOf } from '../models/message.ts'
import type { SummaryRow } from '../models/message-summary.ts'
import type { Search } from './find-messages.ts'

type Files = Pick<Message, '_id'> & { attachments: { filename: string }[] }

/** Which of the searched words are in which field of each message. Read from its search entry, so the body is not. */
export async function findMatchesOf(
  { messages, indexEntries }: Pick<Context, 'messages' | 'indexEntries'>,
  rows: SummaryRow[],
  search: Search,
): Promise<MessageMatches[]> {
  const ids = { _id: { $in: rows.map(({ _id }) => _id) } }
  const [files, entries] = await Promise.all([
    messages.find({ ...ids, attachmentCount: { $gt: 0 } }, { 'attachments.filename': 1 }).lean<Files[]>(),
    indexEntries.find(ids, { words: 1, people: 1 }).lean<Pick<IndexEntry, '_id' | 'words' | 'people'>[]>(),
  ])
  const filesOf = new Map(files.map(({ _id, attachments }) => [_id, attachments]))
  const entryOf = new Map(entries.map((entry) => [entry._id, entry]))
  return rows.flatMap((row) => {
    const entry = entryOf.get(row._id)
    if (entry === undefined) return []
    const fields = fieldsOf({ ...row, attachments: filesOf.get(row._id) ?? [] }, entry)
    const found = [...locate(search.words, fields.anywhere), ...locate(search.people, fields.people)]
    return { messageId: publicIdOf(row), matches: byField(found) }
  })
}

type Place = { field: MessageField; written: string }

function locate(phrases: readonly Phrase[], fields: [MessageField, string][]): Place[] {
  return phrases.flatMap(({ written, pattern }) =>
    fields.flatMap(([field, words]) => (pattern.test(words) ? { field, written } : [])),
  )
}

function byField(places: Place[]): MessageMatches['matches'] {
  const grouped = Map.groupBy(places, ({ field }) => field)
  return Array.from(grouped, ([field, all]) => ({ field, words: [...new Set(all.map(({ written }) => written))] }))
}
