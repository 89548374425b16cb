import type { DownloadAttachmentRequest, DownloadAttachmentResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { StreamHandler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { AttachmentContent } from '../mail/attachments.ts'
import { readOriginal } from '../models/original.ts'
import { findOriginal, type OriginalRow, reserveMailMemory } from '../storage/find-original.ts'
import { messageNotFound } from '../to-wire.ts'

const CHUNK_BYTES = 64 * 1024

/** Streams one attachment from the original mail. Its bytes count toward the workspace's memory while it is sent. */
export function downloadAttachment(ctx: Context): StreamHandler<DownloadAttachmentRequest, DownloadAttachmentResponse> {
  return async function* (request, call) {
    const { workspaceId } = await ctx.requireMember(call, { lovedOneId: request.lovedOneId })
    const row = await findOriginal(ctx, workspaceId, request)
    const meta = row.attachments[request.index]
    if (meta === undefined) throw attachmentNotFound()
    using memory = await reserveMailMemory(ctx, workspaceId, row.size, call.signal)
    const { filename, contentType, content } = await readContent(ctx, row, meta.index, call.signal)
    memory.resize(content.buffer.byteLength)
    yield {
      attachment: { filename, contentType, size: content.length, inline: meta.inline },
      chunk: content.subarray(0, CHUNK_BYTES),
    }
    for (let from = CHUNK_BYTES; from < content.length; from += CHUNK_BYTES)
      yield { attachment: undefined, chunk: content.subarray(from, from + CHUNK_BYTES) }
  }
}

/** Separate from the handler so the mail itself is released before sending. */
async function readContent(
  ctx: Context,
  row: OriginalRow,
  index: number,
  signal: AbortSignal,
): Promise<AttachmentContent> {
  const raw = await readOriginal(ctx.originals, row)
  if (raw === null) throw messageNotFound()
  const attachment = await ctx.mailOpener.file(row.workspaceId, raw, index, signal).catch(() => {
    throw new StatusError('RESOURCE_EXHAUSTED', 'This file could not be opened right now.', { retryAfterSec: 10 })
  })
  if (attachment === undefined) throw attachmentNotFound()
  return attachment
}

function attachmentNotFound(): StatusError {
  return new StatusError('NOT_FOUND', 'This message has no attachment at this index.', { field: 'index' })
}
