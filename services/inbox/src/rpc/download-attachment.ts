import type { DownloadAttachmentRequest, DownloadAttachmentResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { StreamHandler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { attachmentNotFound, readAttachmentContent } from '../storage/attachment-content.ts'
import { findOriginal, reserveMailMemory } from '../storage/find-original.ts'

const CHUNK_BYTES = 64 * 1024

/** Streams one attachment from the original mail. Its bytes count toward the workspace's memory while it is sent. */
export function downloadAttachment(ctx: Context): StreamHandler<DownloadAttachmentRequest, DownloadAttachmentResponse> {
  return async function* (request, call) {
    const { messageId, lovedOneId, index } = request
    const member = await ctx.requireMember(call, { lovedOneId })
    const { workspaceId } = member
    const row = await findOriginal(ctx, workspaceId, request)
    const meta = row.attachments[index]
    if (meta === undefined) throw attachmentNotFound()
    using memory = await reserveMailMemory(ctx, workspaceId, row.size, call.signal)
    const message = { messageId, lovedOneId }
    const recorded = ctx.recordAct(member, { act: 'download_attachment', message, hourly: `${row._id} ${index}` })
    const { filename, contentType, content } = await readAttachmentContent(ctx, row, meta, call.signal)
    memory.resize(content.buffer.byteLength)
    await recorded
    yield {
      attachment: { filename, contentType, size: content.length, inline: meta.inline },
      chunk: content.subarray(0, CHUNK_BYTES),
    }
    for (let from = CHUNK_BYTES; from < content.length; from += CHUNK_BYTES)
      yield { attachment: undefined, chunk: content.subarray(from, from + CHUNK_BYTES) }
  }
}
