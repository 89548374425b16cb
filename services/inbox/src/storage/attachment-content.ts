import type { AttachmentContent, AttachmentKey } from '@family-inbox/mail-reader/mime/attachments'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { messageNotFound } from '../models/message.ts'
import { readOriginal } from '../models/original.ts'
import type { OriginalRow } from './find-original.ts'

/** Reads one attachment from the original mail, which is released when this returns. */
export async function readAttachmentContent(
  ctx: Pick<Context, 'originals' | 'workspaceKeys' | 'mailOpener'>,
  row: OriginalRow,
  key: AttachmentKey,
  signal: AbortSignal,
): Promise<AttachmentContent> {
  const raw = await readOriginal(ctx, row)
  if (raw === null) throw messageNotFound()
  const attachment = await ctx.mailOpener.file(row.workspaceId, raw, key, signal).catch(() => {
    throw new StatusError('RESOURCE_EXHAUSTED', 'This file could not be opened right now.', { retryAfterSec: 10 })
  })
  if (attachment === undefined) throw attachmentNotFound()
  return attachment
}

export function attachmentNotFound(): StatusError {
  return new StatusError('NOT_FOUND', 'This message has no attachment at this index.', { field: 'index' })
}
