import { hasPages } from '@family-inbox/mail-reader/preview/preview-kind'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Context } from '../context.ts'
import { type AttachmentText, findTextsOf } from '../models/attachment-text.ts'
import { wordsOf } from '../models/entry-words.ts'
import { INDEXED_FIELDS, type IndexedRow } from '../models/index-entry.ts'
import { FILES_BY_FAMILY, type Message } from '../models/message.ts'
import { ORIGINAL_FIELDS, readOriginal } from '../models/original.ts'
import { type OriginalRow, reserveMemory } from '../storage/find-original.ts'

/** Each of another family. */
const MAX_AT_ONCE = 10
/** Finds what a crashed process left, and what is due again. */
const PAUSE_MS = 30_000
/** Of one message; the others are downloads. */
const MAX_FILES = 10
/** A file that ends its thread or this process this often stays unread. */
const MAX_ATTEMPTS = 5
/** Each file of a mail may use up its time in the thread. */
const MAIL_MS = 120_000
/** Until a claimed mail is due again, if it is not done by then: longer than `MAIL_MS`. Four times as long after each attempt. */
const NEXT_MS = 150_000
const NEXT_FACTOR = 4

const FAILURE = 'files could not be read for the search; will retry'

/**
 * Reads what PDFs say, so that their message is found by it. A message is `attachmentTextPending` until its search entry has the words
 * of all files, so a crash only repeats work. Families take turns, and a mail that fails is due again later, so nobody waits for it.
 */
export function readFiles(ctx: Context): AsyncDisposable {
  const turns: Turns = { last: '', reading: new Map() }
  const sweeper = startSweeper({
    pauseMs: PAUSE_MS,
    sweep: (signal) => startNext(ctx, turns, signal),
    wake: ctx.wake.files,
    failureMessage: FAILURE,
    logger: ctx.logger,
  })
  return {
    async [Symbol.asyncDispose]() {
      await sweeper[Symbol.asyncDispose]()
      await Promise.all(turns.reading.values())
    },
  }
}

/** The workspace whose turn was last, and those whose mail is being read. */
type Turns = { last: string; reading: Map<string, Promise<void>> }

/** @returns whether another family may have its turn now; each mail that ends starts another round */
async function startNext(ctx: Context, turns: Turns, signal: AbortSignal): Promise<boolean> {
  const { reading } = turns
  if (reading.size >= MAX_AT_ONCE) return false
  const row = await claimNext(ctx, turns)
  if (row === null) return false
  const { _id, workspaceId } = row
  turns.last = workspaceId
  const work = readOne(ctx, row, AbortSignal.any([signal, AbortSignal.timeout(MAIL_MS)]))
    .catch((error) => ctx.logger.warn({ ...describeError(error), message: _id }, FAILURE))
    .finally(() => {
      reading.delete(workspaceId)
      ctx.wake.files()
    })
  reading.set(workspaceId, work)
  return true
}

type Row = OriginalRow & IndexedRow & Pick<Message, 'attachments' | 'attachmentTextAttempts'>

const { 'attachments.filename': _, ...INDEXED } = INDEXED_FIELDS
const FIELDS = { ...INDEXED, ...ORIGINAL_FIELDS, attachments: 1, attachmentTextAttempts: 1 } as const

/** Claims the newest mail of the next family: years of earlier mail may wait, too. */
async function claimNext(ctx: Context, { last, reading }: Turns): Promise<Row | null> {
  const now = Date.now()
  const claim = (workspaceId: Record<string, unknown>) =>
    ctx.messages.collection.findOneAndUpdate(
      {
        attachmentTextPending: true,
        // After indexing, which writes the words of the message itself.
        indexPending: null,
        attachmentTextNext: { $not: { $gt: new Date(now) } },
        workspaceId: { ...workspaceId, $nin: [...reading.keys()] },
      },
      [{ $set: { attachmentTextNext: { $add: [new Date(now), UNTIL_NEXT_MS] } } }],
      {
        hint: FILES_BY_FAMILY,
        sort: { workspaceId: 1, receivedAt: -1 },
        projection: FIELDS,
        returnDocument: 'after',
        promoteBuffers: true,
      },
    )
  return ctx.workspaceKeys.open(((await claim({ $gt: last })) ?? (await claim({ $lte: last }))) as Row | null)
}

const UNTIL_NEXT_MS = {
  $multiply: [NEXT_MS, { $pow: [NEXT_FACTOR, { $ifNull: ['$attachmentTextAttempts', 0] }] }],
}

async function readOne(ctx: Context, row: Row, signal: AbortSignal): Promise<void> {
  const { messages, indexEntries, attachmentTexts } = ctx
  const { _id, workspaceId } = row
  const { texts, isComplete } = await readTexts(ctx, row, signal)
  if (texts.length > 0) {
    const $set = await ctx.seal(attachmentTexts, workspaceId, { workspaceId, texts })
    await attachmentTexts.updateOne({ _id }, { $set }, { upsert: true })
    const found = wordsOf(row, [], texts.map(({ text }) => text).join('\n'))
    const { keys, words } = await ctx.seal(indexEntries, workspaceId, found)
    // The keys of members who replied meanwhile stay.
    await indexEntries.updateOne({ _id }, { $set: { words }, $addToSet: { keys: { $each: keys } } })
  }
  if (isComplete && (await finish(ctx, _id))) return
  // Deleted meanwhile: nothing else knows of this row.
  if (!(await messages.exists({ _id }))) await attachmentTexts.deleteOne({ _id })
}

/** False if it is deleted, or if it is being indexed again at this moment, perhaps without these words: then its turn comes again. */
async function finish({ messages }: Context, _id: string): Promise<boolean> {
  const done = await messages.updateOne(
    { _id, indexPending: null },
    { $unset: { attachmentTextPending: 1, attachmentTextAttempts: 1, attachmentTextNext: 1 } },
  )
  if (done.matchedCount === 1) return true
  await messages.updateOne({ _id }, { $unset: { attachmentTextAttempts: 1, attachmentTextNext: 1 } })
  return false
}

type Texts = { texts: AttachmentText['texts']; isComplete: boolean }

/** Those of an earlier attempt, too. A file that fails does not keep the others from being read. */
async function readTexts(ctx: Context, row: Row, signal: AbortSignal): Promise<Texts> {
  const { _id, workspaceId, attachmentTextAttempts = 0 } = row
  const known = await findTextsOf(ctx, _id)
  const texts = [...known].map(([index, text]) => ({ index, text }))
  const files = row.attachments.filter(hasPages).slice(0, MAX_FILES)
  const left = files.filter(({ index }) => !known.has(index))
  if (left.length === 0) return { texts, isComplete: true }
  if (attachmentTextAttempts >= MAX_ATTEMPTS) {
    ctx.logger.warn({ message: _id, files: left.length }, 'files stay unread after several attempts')
    return { texts, isComplete: true }
  }
  using _memory = await reserveMemory(ctx, workspaceId, row.size, signal)
  // Counted first: an attempt may end the process.
  await ctx.messages.updateOne({ _id }, { $inc: { attachmentTextAttempts: 1 } })
  const raw = await readOriginal(ctx, row)
  if (raw === null) return { texts, isComplete: true }
  let isComplete = true
  for (const meta of left) {
    try {
      const text = await ctx.readFileText(workspaceId, raw, meta, signal)
      if (text) texts.push({ index: meta.index, text })
    } catch (error) {
      ctx.logger.warn({ ...describeError(error), message: _id, index: meta.index }, FAILURE)
      isComplete = false
    }
  }
  return { texts: texts.sort((a, b) => a.index - b.index), isComplete }
}
