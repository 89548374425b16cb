import type { WriteMessageRequest, WriteMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { requireEmail, requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { AddressClass } from '@family-inbox/workspace-kit/people-acts'
import type { Context } from '../context.ts'
import { correspondentId } from '../models/correspondent.ts'
import { requireActiveAddress } from '../models/inbox-address.ts'
import { deriveMessageId, messageRowId } from '../models/message.ts'
import { findFooter } from '../models/reply-footer.ts'
import { queueOrHold } from '../replying/queue-reply.ts'
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
      ctx.correspondents.findById(correspondentId(workspaceId, to), { isProven: 1 }).lean(),
      requireActiveAddress(ctx, workspaceId, inbox),
    ])
    if (known === null) throw invalidArgument('to', 'to must be in your family’s address book.')
    const footer = await findFooter(ctx, workspaceId, inbox)
    // The same form is the same message.
    const messageId = deriveMessageId(personId, idempotencyKey)
    const written = {
      ...inbox,
      messageRowId: messageRowId(inbox, messageId),
      personId,
      name,
      to,
      body,
      ...(footer !== undefined && { footer }),
      opening: { subject },
      idempotencyKey,
      ...holdFor(request.undoSeconds),
    }
    const stored = await storeReply(ctx, written, known.isProven ?? false)
    await queueOrHold(ctx, stored)
    const detail = { word: 'address_book' satisfies AddressClass }
    await ctx.recordAct(member, { act: 'write_message', message: { messageId, lovedOneId }, detail, once: stored._id })
    return { replyId: stored._id, messageId }
  }
}
