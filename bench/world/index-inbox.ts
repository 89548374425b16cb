import { INDEXED_FIELDS, type IndexEntry, type IndexedRow, toIndexEntry } from '@family-inbox/inbox/models/index-entry'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import type { Workspace } from './workspace.ts'

const CHUNK = 2000

/** Adds the search entries that inbox itself would write. */
export async function indexInbox({ collection, sealed, family }: Workspace, lovedOneId: string): Promise<void> {
  const entries = collection<IndexEntry>('inbox', 'index_entries')
  await entries.deleteMany({ lovedOneId })
  const rows = collection<IndexedRow & { lovedOneId: string; conversationId?: string }>('inbox', 'messages').find(
    { lovedOneId },
    { projection: { ...INDEXED_FIELDS, conversationId: 1 } },
  )
  const sealer = sealed.sealerOf(family.workspaceId)
  let batch: IndexEntry[] = []
  const write = async () => {
    if (batch.length > 0) await entries.insertMany(batch, { ordered: false, writeConcern: { w: 1 } }).catch(unlessThere)
    batch = []
  }
  for await (const row of rows) {
    const { keys, words, ...entry } = toIndexEntry(sealed.open(row as IndexedRow))
    const stored = { keys: sealer?.sealPrefixes(keys) ?? keys, words: sealer?.seal(words) ?? words }
    batch.push({ ...entry, ...stored, ...conversationIn(row) })
    if (batch.length === CHUNK) await write()
  }
  await write()
}

function conversationIn({ conversationId }: { conversationId?: string }) {
  return conversationId === undefined ? {} : { conversationId }
}

/** Inbox indexes the mail that came over SMTP at the same time. */
function unlessThere(error: unknown): void {
  if (!isDuplicateKey(error)) throw error
}
