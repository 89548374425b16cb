import type {
  DownloadReplyAttachmentRequest,
  DownloadReplyAttachmentResponse,
} from '@family-inbox/proto/inbox/v1/inbox'
import type { StreamHandler } from '@family-inbox/service-kit/rpc/call'
import { ATTACHMENT_PIECE_BYTES } from '@family-inbox/workspace-kit/reply-attachments'
import type { Context } from '../context.ts'
import { readPieces } from '../models/reply-file.ts'
import { toWireSentFile } from '../replying/reply-files.ts'
import { attachmentNotFound } from '../storage/attachment-content.ts'
import { reserveMemory } from '../storage/find-original.ts'

const CHUNK_BYTES = 64 * 1024

/** Streams a file that went with a reply, to any member. Holds one piece at a time. */
export function downloadReplyAttachment(
  ctx: Context,
): StreamHandler<DownloadReplyAttachmentRequest, DownloadReplyAttachmentResponse> {
  return async function* ({ replyId, index }, call) {
    const { workspaceId } = await ctx.requireMember(call)
    const reply = await ctx.replies.findOne({ _id: replyId, workspaceId, deletedAt: null }, { attachments: 1 }).lean()
    const sent = reply?.attachments?.[index]
    if (sent === undefined) throw attachmentNotFound()
    using _memory = await reserveMemory(ctx, workspaceId, ATTACHMENT_PIECE_BYTES, call.signal)
    let attachment: DownloadReplyAttachmentResponse['attachment'] = toWireSentFile(sent)
    for await (const piece of readPieces(ctx, { _id: sent.file, size: sent.size }))
      for (let from = 0; from < piece.length; from += CHUNK_BYTES, attachment = undefined)
        yield { attachment, chunk: piece.subarray(from, from + CHUNK_BYTES) }
  }
}
