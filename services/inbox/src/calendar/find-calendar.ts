import { isCurrent, type StoredCalendar, storedCalendar } from '@family-inbox/mail-reader/calendar/stored-calendar'
import type { FileOfCalendar } from '@family-inbox/mail-reader/calendar-files'
import { previewKind } from '@family-inbox/mail-reader/preview/preview-kind'
import { PreviewKind } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type Message, messageRowId } from '../models/message.ts'
import { ORIGINAL_FIELDS, readOriginal } from '../models/original.ts'
import { reserveMemory } from '../storage/find-original.ts'
import { messageNotFound } from '../to-wire.ts'

const FIELDS = { ...ORIGINAL_FIELDS, attachments: 1, receivedAt: 1 } as const

type Ids = { messageId: string; lovedOneId: string }

/**
 * What a message’s calendar files say, as it was stored when the mail arrived. What an older version stored, and mail whose turn
 * has not come, is read now and stored.
 */
export async function findCalendar(
  ctx: Context,
  workspaceId: string,
  { messageId, lovedOneId }: Ids,
  signal: AbortSignal,
): Promise<FileOfCalendar[]> {
  const _id = messageRowId({ workspaceId, lovedOneId }, messageId)
  const known = await ctx.messages.findById(_id, { attachments: 1, calendar: 1 }).lean()
  if (known === null) throw messageNotFound()
  if (isCurrent(known.calendar)) return known.calendar.files
  if (!known.attachments.some((meta) => previewKind(meta) === PreviewKind.INVITATION)) return []
  // The native driver returns the original's bytes as they are.
  const found = await ctx.messages.collection.findOne(
    { _id: _id as never },
    { projection: FIELDS, promoteBuffers: true },
  )
  if (found === null) throw messageNotFound()
  return readNow(ctx, found as unknown as Row, signal)
}

type Row = Pick<Message, '_id' | keyof typeof FIELDS>

async function readNow(ctx: Context, row: Row, signal: AbortSignal): Promise<FileOfCalendar[]> {
  const { workspaceId, size, receivedAt } = row
  using _memory = await reserveMemory(ctx, workspaceId, size, signal)
  const raw = await readOriginal(ctx.originals, row)
  if (raw === null) throw messageNotFound()
  const { files } = await ctx.mailOpener.calendar(workspaceId, raw, receivedAt, signal).catch(() => {
    throw new StatusError('RESOURCE_EXHAUSTED', 'This invitation could not be read right now.', { retryAfterSec: 10 })
  })
  return storeCalendar(ctx, row._id, files)
}

/** @returns what is stored */
export async function storeCalendar(
  { messages }: Pick<Context, 'messages'>,
  _id: string,
  files: FileOfCalendar[],
): Promise<FileOfCalendar[]> {
  const calendar: StoredCalendar = storedCalendar(files)
  await messages.updateOne({ _id }, { $set: { calendar } })
  return calendar.files
}
