import type { Context } from '../context.ts'
import { requireActiveAddress } from '../models/inbox-address.ts'
import type { ReplyFile } from '../models/reply-file.ts'
import { findFooter } from '../models/reply-footer.ts'
import { requireReplyTo } from '../models/reply-to.ts'
import type { RepliedMessage } from './reply-recipient.ts'
import { toAttachments } from './sent-files.ts'
import type { NewReply } from './store-reply.ts'

/** Whom an answer to a message goes to. @throws StatusError FAILED_PRECONDITION when nobody can be answered */
export async function requireRecipient(ctx: Context, workspaceId: string, message: RepliedMessage): Promise<string> {
  await requireActiveAddress(ctx, workspaceId, message)
  return requireReplyTo(message, ctx.config)
}

type Written = Omit<NewReply, 'lovedOneId' | 'messageRowId' | 'footer' | 'attachments'>

/** An answer as it is stored: with the family's footer, and the files in their order. */
export async function composeAnswer(
  ctx: Context,
  message: RepliedMessage,
  written: Written,
  files: ReplyFile[],
): Promise<NewReply> {
  const footer = await findFooter(ctx, written.workspaceId, message)
  return {
    ...written,
    lovedOneId: message.lovedOneId,
    messageRowId: message._id,
    ...(footer !== undefined && { footer }),
    ...toAttachments(files),
  }
}
