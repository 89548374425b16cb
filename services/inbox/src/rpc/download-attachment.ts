import type { DownloadAttachmentRequest, DownloadAttachmentResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { StreamHandler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import { findOriginal } from '../find-original.ts'
import { readAttachment } from '../mail/read-attachment.ts'
import { messageNotFound } from '../message-not-found.ts'
import { readOriginal } from '../models/original.ts'

const CHUNK_BYTES = 64 * 1024

/**
 * One attachment of a message of the household, taken out of the original mail. So many at a time, since each holds its mail
 * in memory for as long as it is sent.
 */
export function downloadAttachment(ctx: Context): StreamHandler<DownloadAttachmentRequest, DownloadAttachmentResponse> {
  return async function* (request, call) {
    const { workspaceId } = await ctx.requireMember(call, { lovedOneId: request.lovedOneId })
    const row = await findOriginal(ctx, workspaceId, request)
    const meta = row.attachments[request.index]
    if (meta === undefined) throw attachmentNotFound()
    if (!ctx.downloadPlaces.take(row.size))
      throw new StatusError('RESOURCE_EXHAUSTED', 'Many files are being downloaded just now.', { retryAfterSec: 10 })
    try {
      const raw = await readOriginal(ctx.originals, row)
      if (raw === null) throw messageNotFound()
      const attachment = await readAttachment(raw, meta.index)
      if (attachment === undefined) throw attachmentNotFound()
      const { filename, contentType, content } = attachment
      yield {
        attachment: { filename, contentType, size: content.length, inline: meta.inline },
        chunk: content.subarray(0, CHUNK_BYTES),
      }
      for (let from = CHUNK_BYTES; from < content.length; from += CHUNK_BYTES)
        yield { attachment: undefined, chunk: content.subarray(from, from + CHUNK_BYTES) }
    } finally {
      ctx.downloadPlaces.give(row.size)
    }
  }
}

function attachmentNotFound(): StatusError {
  return new StatusError('NOT_FOUND', 'This message has no such attachment.', { field: 'index' })
}
