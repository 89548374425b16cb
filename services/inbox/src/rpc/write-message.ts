import type { WriteMessageRequest, WriteMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { requireEmail, requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { AddressClass } from '@family-inbox/workspace-kit/people-acts'
import type { Context } from '../context.ts'
import { mailDraftId, newMailRowId } from '../models/draft.ts'
import { requireActiveAddress } from '../models/inbox-address.ts'
import { deriveMessageId, messageRowId } from '../models/message.ts'
import { findFooter } from '../models/reply-footer.ts'
import { findCorrespondents, requireCopies, toCc } from '../replying/copy-recipients.ts'
import { queueOrHold } from '../replying/queue-reply.ts'
import { findFilesToSend } from '../replying/reply-files.ts'
import { removeRepeated, toAttachments } from '../replying/sent-files.ts'
import { holdFor, requireBody, storeReply } from '../replying/store-reply.ts'

const MAX_SUBJECT = 200

/**
 * Begins a conversation with somebody in the family's address book. Owner and coordinators only, and never an assistant. Durable
 * like a reply, which it is to a message of its own: that is stored when the time to undo is over.
 */
export function writeMessage(ctx: Context): Handler<WriteMessageRequest, WriteMessageResponse> {
  return async (request, call) => {
    const { lovedOneId } = request
    const member = await ctx.requireMember(call, { lovedOneId, write: true })
    const { workspaceId, personId, name } = member
    requirePerson(call)
    const to = requireEmail('to', request.to)
    const subject = requireLine('subject', request.subject, MAX_SUBJECT)
    const body = requireBody(request.body)
    const idempotencyKey = requireLine('idempotencyKey', request.idempotencyKey, 200)
    const inbox = { workspaceId, lovedOneId }
    const [known] = await Promise.all([
      findCorrespondents(ctx, workspaceId, [to]),
      requireActiveAddress(ctx, workspaceId, inbox),
    ])
    const isProven = known.get(to)
    if (isProven === undefined) throw invalidArgument('to', 'to must be in your family’s address book.')
    const copies = await requireCopies(ctx, call, workspaceId, to, request.cc?.addresses)
    const footer = await findFooter(ctx, workspaceId, inbox)
    // The same form is the same message.
    const messageId = deriveMessageId(personId, idempotencyKey)
    const rowId = messageRowId(inbox, messageId)
    const draft = { workspaceId, personId, messageRowId: newMailRowId(workspaceId) }
    const files = await findFilesToSend(ctx, draft, request.attachments?.ids ?? [], rowId)
    const written = {
      ...inbox,
      messageRowId: rowId,
      personId,
      name,
      to,
      ...toCc(copies),
      body,
      ...(footer !== undefined && { footer }),
      opening: { subject },
      ...toAttachments(files),
      idempotencyKey,
      ...holdFor(request.undoSeconds),
    }
    const stored = await storeReply(ctx, written, isProven, copies)
    await removeRepeated(ctx, files, stored)
    if (request.discardDraft) await ctx.drafts.deleteOne({ _id: mailDraftId(personId, draft.messageRowId, 'opening') })
    await queueOrHold(ctx, stored)
    const detail = { word: 'address_book' satisfies AddressClass }
    await ctx.recordAct(member, { act: 'write_message', message: { messageId, lovedOneId }, detail, once: stored._id })
    return { replyId: stored._id, messageId }
  }
}
