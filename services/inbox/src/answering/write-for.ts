import { type MailRecipient, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { FINISHED } from '@family-inbox/workspace-kit/status-rule'
import type { Context } from '../context.ts'
import { storeNote } from '../conversations/store-note.ts'
import type { AnswerAddress } from '../models/answer-address.ts'
import { conversationOf, messageRowId, publicIdOf } from '../models/message.ts'
import { isObvious, isVerified } from '../models/reply-to.ts'
import { composeAnswer, requireRecipient } from '../replying/compose-answer.ts'
import { queueOrHold } from '../replying/queue-reply.ts'
import { findRepliedMessage, leadsToMember } from '../replying/reply-recipient.ts'
import { holdFor, requireBody, storeReply } from '../replying/store-reply.ts'
import { keepFiles, removeFiles } from './keep-files.ts'
import type { Answer } from './read-answer.ts'
import type { Reason } from './tell-not-sent.ts'

const MORE_FIELDS = { conversationId: 1, forwardedByMember: 1 } as const

/** `key` is the same for every delivery of the mail. */
export type Written = Answer & { key: string; raw: Buffer }

/** Adds the member's note, or replies for them as the page does. @returns why not, if it was refused */
export async function writeFor(
  ctx: Context,
  address: AnswerAddress,
  member: MailRecipient,
  answer: Written,
): Promise<Reason | undefined> {
  try {
    return answer.kind === 'note' ? await note(ctx, address, member, answer) : await reply(ctx, address, member, answer)
  } catch (error) {
    return reasonOf(error)
  }
}

/** Every member may. */
async function note(
  ctx: Context,
  { workspaceId, lovedOneId, messageRowId: rowId }: AnswerAddress,
  { personId, name }: MailRecipient,
  { text, key, attachments }: Written,
): Promise<Reason | undefined> {
  if (attachments.length > 0) return 'note-files'
  await storeNote(ctx, { workspaceId, lovedOneId, messageRowId: rowId, personId, name, text }, key)
  return undefined
}

async function reply(
  ctx: Context,
  address: AnswerAddress,
  { personId, name, role }: MailRecipient,
  { text, key, raw, attachments }: Written,
): Promise<Reason | undefined> {
  if (role !== Role.OWNER && role !== Role.COORDINATOR) return 'viewer'
  const { workspaceId, lovedOneId, messageRowId: rowId } = address
  const message = await findRepliedMessage(ctx, workspaceId, { lovedOneId, messageId: publicIdOf({ _id: rowId }) })
  const { conversationId, forwardedByMember } = (await ctx.messages.findById(rowId, MORE_FIELDS).lean()) ?? {}
  if (await isFinished(ctx, address, conversationOf({ _id: rowId, conversationId }))) return 'finished'
  const to = await requireRecipient(ctx, workspaceId, message)
  // The page shows where it goes, and asks whether that is right.
  if (!isObvious({ ...message, forwardedByMember }, to) || (await leadsToMember(ctx, workspaceId, message, to)))
    return 'unsure'
  const written = {
    workspaceId,
    personId,
    name,
    to,
    body: requireBody(text),
    byMail: true as const,
    idempotencyKey: key,
  }
  const owner = { workspaceId, personId, messageRowId: rowId }
  const files = await keepFiles(ctx, owner, key, raw, attachments)
  try {
    const composed = await composeAnswer(ctx, message, { ...written, ...holdFor(ctx.config.replyUndoSec) }, files)
    await queueOrHold(ctx, await storeReply(ctx, composed, isVerified(message, to)))
    return undefined
  } catch (error) {
    if (error instanceof StatusError && error.status !== 'UNAVAILABLE') await removeFiles(ctx, files)
    throw error
  }
}

/** Somebody has dealt with it since the notification, so an answer may be one too many. */
async function isFinished({ conversationStatuses }: Context, address: AnswerAddress, conversationId: string) {
  const finished = { _id: messageRowId(address, conversationId), status: { $in: FINISHED } }
  return (await conversationStatuses.exists(finished)) !== null
}

const REASONS: Partial<Record<StatusError['status'], Reason>> = {
  NOT_FOUND: 'gone',
  FAILED_PRECONDITION: 'recipient',
  RESOURCE_EXHAUSTED: 'limit',
}
const OF_FIELDS: Readonly<Record<string, Reason>> = { body: 'long', text: 'long', attachments: 'files', data: 'files' }

/** Why a member's answer was refused. @throws any other error: then the mail comes again */
function reasonOf(error: unknown): Reason {
  if (!(error instanceof StatusError)) throw error
  const reason = error.status === 'INVALID_ARGUMENT' ? OF_FIELDS[error.detail.field ?? ''] : REASONS[error.status]
  if (reason === undefined) throw error
  return reason
}
