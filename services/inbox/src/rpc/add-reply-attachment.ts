import type { AddReplyAttachmentRequest, AddReplyAttachmentResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { ATTACHMENT_PIECE_BYTES } from '@family-inbox/workspace-kit/reply-attachments'
import type { Context } from '../context.ts'
import { newMailRowId } from '../models/draft.ts'
import { messageNotFound, messageRowId } from '../models/message.ts'
import { addPiece, toWireFile } from '../replying/reply-files.ts'
import { reserveMemory } from '../storage/find-original.ts'

const ATTACHMENT_ID = /^[\w-]{16,64}$/

/** Owner and coordinators only. A repeated piece changes nothing. */
export function addReplyAttachment(ctx: Context): Handler<AddReplyAttachmentRequest, AddReplyAttachmentResponse> {
  return async (request, call) => {
    const { lovedOneId, messageId } = request
    const isNew = messageId === ''
    const rule = { write: true, ...(!isNew && { lovedOneId }) }
    const { workspaceId, personId } = await ctx.requireMember(call, rule)
    requirePiece(request)
    const rowId = isNew ? newMailRowId(workspaceId) : messageRowId({ workspaceId, lovedOneId }, messageId)
    if (!isNew && (await ctx.messages.exists({ _id: rowId })) === null) throw messageNotFound()
    using _memory = await reserveMemory(ctx, workspaceId, request.data.length, call.signal)
    const file = await addPiece(ctx, { workspaceId, personId, messageRowId: rowId }, request)
    return { attachment: file.isComplete ? toWireFile(file) : undefined }
  }
}

function requirePiece({ attachmentId, index, data }: AddReplyAttachmentRequest): void {
  if (!ATTACHMENT_ID.test(attachmentId)) throw invalidArgument('attachmentId', 'attachmentId must be a random id.')
  if (index < 0) throw invalidArgument('index', 'index must be 0 or more.')
  if (data.length === 0) throw invalidArgument('data', 'This file is empty.')
  if (data.length > ATTACHMENT_PIECE_BYTES) throw invalidArgument('data', 'A piece must be at most 1 MB.')
}
