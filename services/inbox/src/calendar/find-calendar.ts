import type { FileOfCalendar } from '@family-inbox/mail-reader/calendar/calendar-files'
import { isCurrent, type StoredCalendar, storedCalendar } from '@family-inbox/mail-reader/calendar/stored-calendar'
import { previewKind } from '@family-inbox/mail-reader/preview/preview-kind'
import { PreviewKind } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type Message, messageNotFound, messageRowId } from '../models/message.ts'
import { readOriginal } from '../models/original.ts'
import { findOriginal, reserveMemory } from '../storage/find-original.ts'

const FIELDS = { attachments: 1, calendar: 1, receivedAt: 1 } as const

type Ids = { messageId: string; lovedOneId: string }
type Described = Pick<Message, '_id' | keyof typeof FIELDS>

/** Describes a message’s files without opening them. @throws StatusError NOT_FOUND */
export async function findFiles(
  { messages }: Pick<Context, 'messages'>,
  workspaceId: string,
  { messageId, lovedOneId }: Ids,
): Promise<Described> {
  const row = await messages.findById(messageRowId({ workspaceId, lovedOneId }, messageId), FIELDS).lean()
  if (row === null) throw messageNotFound()
  return row
}

/**
 * Returns a message’s calendar files as they were stored when the mail arrived. Those that an older version stored, or whose turn
 * has not come, are read now and stored.
 */
export async function findCalendar(
  ctx: Context,
  workspaceId: string,
  ids: Ids,
  { _id, attachments, calendar, receivedAt }: Described,
  signal: AbortSignal,
): Promise<FileOfCalendar[]> {
  if (isCurrent(calendar)) return calendar.files
  if (!attachments.some((meta) => previewKind(meta) === PreviewKind.INVITATION)) return []
  const original = await findOriginal(ctx, workspaceId, ids)
  using _memory = await reserveMemory(ctx, workspaceId, original.size, signal)
  const raw = await readOriginal(ctx, original)
  if (raw === null) throw messageNotFound()
  const { files } = await ctx.mailOpener.calendar(workspaceId, raw, receivedAt, signal).catch(() => {
    throw new StatusError('RESOURCE_EXHAUSTED', 'This invitation could not be read right now.', { retryAfterSec: 10 })
  })
  return storeCalendar(ctx, { _id, workspaceId }, files)
}

/** @returns what is stored */
export async function storeCalendar(
  { messages, seal }: Pick<Context, 'messages' | 'seal'>,
  { _id, workspaceId }: Pick<Message, '_id' | 'workspaceId'>,
  files: FileOfCalendar[],
): Promise<FileOfCalendar[]> {
  const calendar: StoredCalendar = storedCalendar(files)
  await messages.updateOne({ _id }, { $set: await seal(messages, workspaceId, { calendar }) })
  return calendar.files
}
