import type { Membership } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { ReplyToMessageRequest, ReplyToMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { createFairGate } from '@family-inbox/service-kit/lifecycle/fair-gate'
import { type Call, type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { foldEmail, optionalLine } from '@family-inbox/service-kit/rpc/text-rules'
import { cleanLine } from '@family-inbox/service-kit/text/clean-text'
import type { Context } from '../context.ts'
import { draftId } from '../models/draft.ts'
import { isVerified } from '../models/reply-to.ts'
import { composeAnswer, requireRecipient } from '../replying/compose-answer.ts'
import { requireCopies, toCc } from '../replying/copy-recipients.ts'
import { findOrPropose } from '../replying/propose-reply.ts'
import { queueOrHold } from '../replying/queue-reply.ts'
import { findFilesToSend } from '../replying/reply-files.ts'
import { findRepliedMessage, leadsToMember, type RepliedMessage } from '../replying/reply-recipient.ts'
import { removeRepeated } from '../replying/sent-files.ts'
import { holdFor, requireBody, storeReply } from '../replying/store-reply.ts'

const MAX_ASSISTANT = 120
/** Of one family. What an assistant sends beyond that waits, so that other families do not. */
const REPLIES_AT_ONCE = 4

/**
 * Owner and coordinators only. Durable before it returns, even while NATS is down; a repeated request sends once. A dry run only
 * says where the reply would go: its address is no text of the message, so it marks no assistant.
 */
export function replyToMessage(ctx: Context): Handler<ReplyToMessageRequest, ReplyToMessageResponse> {
  const takeTurn = createFairGate({ slots: Number.POSITIVE_INFINITY, slotsPerOwner: REPLIES_AT_ONCE })
  return async (request, call) => takeTurn(requirePrincipal(call).workspaceId, () => reply(ctx, request, call))
}

/** Membership is checked when it is its turn. */
async function reply(ctx: Context, request: ReplyToMessageRequest, call: Call): Promise<ReplyToMessageResponse> {
  const rule = { write: true, proposes: true, ...(request.lovedOneId !== '' && { lovedOneId: request.lovedOneId }) }
  const member = await ctx.requireMember(call, rule)
  const written = request.dryRun ? undefined : toNewReply(member, request)
  const message = await findRepliedMessage(ctx, member.workspaceId, request)
  const to = await requireRecipient(ctx, member.workspaceId, message)
  requireExpectedRecipient(to, request.expectedTo)
  const toMember = await requireConfirmedMember(ctx, member, message, to, request)
  if (written === undefined) return { replyId: '', to, queuedAt: undefined, lovedOneId: message.lovedOneId, toMember }
  const copies = await requireCopies(ctx, call, member.workspaceId, to, request.cc?.addresses)
  const owner = { workspaceId: member.workspaceId, personId: member.personId, messageRowId: message._id }
  const files = await findFilesToSend(ctx, owner, request.attachments?.ids ?? [])
  const answer = await composeAnswer(ctx, message, { ...written, to, ...toCc(copies) }, files)
  const proposed = await findOrPropose(ctx, member, message, answer)
  if (proposed !== undefined) return proposed
  const stored = await storeReply(ctx, answer, isVerified(message, to), copies)
  await removeRepeated(ctx, files, stored)
  if (request.discardDraft) await ctx.drafts.deleteOne({ _id: draftId(member.personId, message._id) })
  await queueOrHold(ctx, stored)
  return { replyId: stored._id, to: stored.to, queuedAt: stored.createdAt, lovedOneId: message.lovedOneId }
}

function toNewReply(member: Membership, request: ReplyToMessageRequest) {
  const { workspaceId, personId, name, disclosesAssistants } = member
  const { assistant, undoSeconds } = request
  const idempotencyKey = optionalLine('idempotencyKey', request.idempotencyKey, 200)
  return {
    workspaceId,
    personId,
    name,
    body: requireBody(request.body),
    ...(idempotencyKey !== '' && { idempotencyKey }),
    ...(assistant !== undefined && { assistant: cleanLine(assistant).slice(0, MAX_ASSISTANT) }),
    ...(assistant !== undefined && disclosesAssistants && { disclosed: true }),
    ...holdFor(undoSeconds),
  }
}

function requireExpectedRecipient(to: string, expectedTo = ''): void {
  if (expectedTo === '' || foldEmail(expectedTo) === to) return
  throw invalidArgument(
    'expectedTo',
    `expectedTo does not match: this reply would go to ${to}. Nothing was sent. Show that address to the person you act for.`,
  )
}

/** Whoever names the address has seen it: `requireExpectedRecipient` compares. A dry run returns what would have to be confirmed. */
async function requireConfirmedMember(
  ctx: Context,
  { workspaceId }: Membership,
  message: RepliedMessage,
  to: string,
  { dryRun, expectedTo }: ReplyToMessageRequest,
): Promise<boolean> {
  const isMember = await leadsToMember(ctx, workspaceId, message, to)
  if (!isMember || dryRun || expectedTo) return isMember
  const text = `This message was forwarded, and its author was not found. The reply would go to ${to}, a member of the family. Nothing was sent. Ask the person you act for; if that is what they want, pass this address as expectedTo.`
  throw new StatusError('FAILED_PRECONDITION', text, { field: 'expectedTo' })
}
