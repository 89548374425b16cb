import { createHash } from 'node:crypto'
import type { ReplyToMessageRequest, ReplyToMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { cleanText } from '@family-inbox/service-kit/clean-text'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/status-error'
import { optionalLine } from '@family-inbox/service-kit/text-rules'
import { answerTo } from '../answer-to.ts'
import type { Context } from '../context.ts'
import { findRepliedMessage, type RepliedRow } from '../find-replied-message.ts'
import { NOT_RETIRED } from '../models/inbox-address.ts'
import { newReplyId, type Reply } from '../models/reply.ts'
import { queueReply } from '../outgoing/queue-reply.ts'

const MAX_BODY = 20_000

/**
 * Answers a message by mail, under the member's name, to whoever wrote it. Owner and coordinators only. The reply and its
 * mail are durable before this answers; the same idempotency key sends once.
 */
export function replyToMessage(ctx: Context): Handler<ReplyToMessageRequest, ReplyToMessageResponse> {
  return async (request, call) => {
    const rule = { write: true, ...(request.lovedOneId !== '' && { lovedOneId: request.lovedOneId }) }
    const member = await ctx.requireMember(call, rule)
    const body = requireBody(request.body)
    const idempotencyKey = optionalLine('idempotencyKey', request.idempotencyKey, 200)
    const message = await findRepliedMessage(ctx, member.workspaceId, request)
    await requireWayBack(ctx, member.workspaceId, message)
    const reply = await insertOnce(ctx, {
      _id: newReplyId(),
      workspaceId: member.workspaceId,
      lovedOneId: message.lovedOneId,
      messageRowId: message._id,
      personId: member.personId,
      name: member.name,
      to: recipientOf(message),
      body,
      ...(idempotencyKey !== '' && { idempotencyKey }),
      requestHash: createHash('sha256').update(`${message._id}\n${body}`).digest('hex'),
      createdAt: new Date(),
    })
    await queueReply(ctx, reply)
    return { replyId: reply._id, to: reply.to, queuedAt: reply.createdAt }
  }
}

/** The new row, or the one an earlier request with the same key made. */
async function insertOnce(ctx: Context, reply: Reply): Promise<Reply> {
  try {
    await ctx.replies.insertOne(reply)
    return reply
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
  const { workspaceId, idempotencyKey } = reply
  const earlier = await ctx.replies.findOne({ workspaceId, idempotencyKey }).lean().orFail()
  if (earlier.requestHash === reply.requestHash) return earlier
  const message = 'idempotencyKey was used for another reply. Use a new one.'
  throw new StatusError('ALREADY_EXISTS', message, { field: 'idempotencyKey' })
}

function requireBody(text: string): string {
  const body = cleanText(text).trim()
  if (body === '') throw invalidArgument('body', 'body is required.')
  if (body.length > MAX_BODY) throw invalidArgument('body', `body must be at most ${MAX_BODY} characters.`)
  return body
}

/** A reply asks for answers to the loved one's address; while there is none, they would be refused. */
async function requireWayBack(ctx: Context, workspaceId: string, { lovedOneId }: RepliedRow): Promise<void> {
  if (await ctx.inboxAddresses.exists({ workspaceId, lovedOneId, ...NOT_RETIRED })) return
  throw new StatusError('FAILED_PRECONDITION', 'This inbox has no address that takes mail. Give it a new one to reply.')
}

function recipientOf(message: RepliedRow): string {
  const to = answerTo(message)
  if (to !== undefined) return to
  throw new StatusError('FAILED_PRECONDITION', 'This message names no address that could be answered.')
}
