import { hasPages } from '@family-inbox/mail-reader/preview/preview-kind'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import type { Context } from '../context.ts'
import type { AttachmentText } from '../models/attachment-text.ts'
import { wordsOf } from '../models/entry-words.ts'
import { INDEXED_FIELDS, type IndexedRow } from '../models/index-entry.ts'
import type { Message } from '../models/message.ts'
import { ORIGINAL_FIELDS, readOriginal } from '../models/original.ts'
import { type OriginalRow, reserveMemory } from '../storage/find-original.ts'

/** Each of another family. */
const BATCH = 10
/** More would be read and sorted again for each batch. */
const MAX_WAITING = 1000
/** Finds what a crashed process left. */
const PAUSE_MS = 30_000
/** Of one message; the others are downloads. */
const MAX_FILES = 10
/** A file that ends its process this often stays unread. */
const MAX_ATTEMPTS = 20
const MAIL_MS = 60_000

/** After indexing, which writes the words of the message itself. */
const READABLE = { attachmentTextPending: true, indexPending: null }

/**
 * Reads what PDFs say, so that their message is found by it. A message is `attachmentTextPending` until its search entry has the words,
 * so a crash only repeats work.
 */
export function readFiles(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: PAUSE_MS,
    sweep: () => readSome(ctx),
    wake: ctx.wake.files,
    failureMessage: 'files could not be read for the search; retrying',
    logger: ctx.logger,
  })
}

/** The newest of each workspace: years of earlier mail may wait, too. @returns whether there may be more */
async function readSome(ctx: Context): Promise<boolean> {
  const newest = await ctx.messages.collection
    .aggregate<{ rowId: string }>([
      { $match: READABLE },
      { $sort: { receivedAt: -1 } },
      { $limit: MAX_WAITING },
      { $group: { _id: '$workspaceId', rowId: { $first: '$_id' } } },
      { $limit: BATCH },
    ])
    .toArray()
  const outcomes = await Promise.allSettled(newest.map(({ rowId }) => readOne(ctx, rowId)))
  const failure = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failure !== undefined) throw failure.reason
  return outcomes.length > 0
}

type Row = OriginalRow & IndexedRow & Pick<Message, 'attachments' | 'attachmentTextAttempts'>

const FIELDS = { ...INDEXED_FIELDS, ...ORIGINAL_FIELDS, attachments: 1, attachmentTextAttempts: 1 } as const

async function readOne(ctx: Context, rowId: string): Promise<void> {
  const { messages, indexEntries, attachmentTexts } = ctx
  const { 'attachments.filename': _, ...projection } = FIELDS
  const row = (await messages.collection.findOne(
    { _id: rowId as never },
    { projection, promoteBuffers: true },
  )) as unknown as Row | null
  if (row === null) return
  const { _id, workspaceId, attachmentTextAttempts = 0 } = row
  // Counted first: an attempt may end the process.
  await messages.updateOne({ _id }, { $inc: { attachmentTextAttempts: 1 } })
  const texts = attachmentTextAttempts < MAX_ATTEMPTS ? await readTexts(ctx, row) : []
  if (texts.length > 0) {
    await attachmentTexts.updateOne({ _id }, { $set: { workspaceId, texts } }, { upsert: true })
    const { keys, words } = wordsOf(row, [], texts.map(({ text }) => text).join('\n'))
    // The keys of members who replied meanwhile stay.
    await indexEntries.updateOne({ _id }, { $set: { words }, $addToSet: { keys: { $each: keys } } })
  }
  // If it is being indexed again at this moment, perhaps without these words, its turn comes again.
  const done = await messages.updateOne(
    { _id, indexPending: null },
    { $unset: { attachmentTextPending: 1, attachmentTextAttempts: 1 } },
  )
  // Deleted meanwhile: nothing else knows of this row.
  if (done.matchedCount === 0 && !(await messages.exists({ _id }))) await attachmentTexts.deleteOne({ _id })
}

async function readTexts(ctx: Context, row: Row): Promise<AttachmentText['texts']> {
  const signal = AbortSignal.timeout(MAIL_MS)
  using _memory = await reserveMemory(ctx, row.workspaceId, row.size, signal)
  const raw = await readOriginal(ctx.originals, row)
  if (raw === null) return []
  const texts: AttachmentText['texts'] = []
  for (const meta of row.attachments.filter(hasPages).slice(0, MAX_FILES)) {
    const text = await ctx.readFileText(row.workspaceId, raw, meta, signal)
    if (text) texts.push({ index: meta.index, text })
  }
  return texts
}
