import type { Membership } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { ForwardMessageRequest, ForwardMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine, requireEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { AddressClass } from '@family-inbox/workspace-kit/people-acts'
import { ATTACHMENTS_TOO_LARGE, MAX_ATTACHMENTS_BYTES } from '@family-inbox/workspace-kit/reply-attachments'
import type { Context } from '../context.ts'
import { correspondentId } from '../models/correspondent.ts'
import { mailDraftId } from '../models/draft.ts'
import { requireActiveAddress } from '../models/inbox-address.ts'
import { type Message, messageNotFound, messageRowId } from '../models/message.ts'
import { findFooter } from '../models/reply-footer.ts'
import { isOwnAddress } from '../own-address.ts'
import { requireCopies, toCc } from '../replying/copy-recipients.ts'
import { queueOrHold } from '../replying/queue-reply.ts'
import { holdFor, storeReply } from '../replying/store-reply.ts'

const MAX_BODY = 5000
const FORWARDED_FIELDS = { lovedOneId: 1, attachments: 1, size: 1 } as const

type Request = ForwardMessageRequest
type Forwarded = Pick<Message, '_id' | keyof typeof FORWARDED_FIELDS>

/** Owner and coordinators only, and never an assistant: it would be a way out for everything it can read. Durable like a reply. */
export function forwardMessage(ctx: Context): Handler<Request, ForwardMessageResponse> {
  return async (request, call) => {
    const { lovedOneId, messageId } = request
    const member = await ctx.requireMember(call, { lovedOneId, write: true })
    requirePerson(call)
    const to = requireOutside(ctx, request.to)
    const { workspaceId } = member
    const copies = await requireCopies(ctx, call, workspaceId, to, request.cc?.addresses)
    const message = await ctx.messages
      .findById(messageRowId({ workspaceId, lovedOneId }, messageId), FORWARDED_FIELDS)
      .lean<Forwarded | null>()
    if (message === null) throw messageNotFound()
    await requireActiveAddress(ctx, workspaceId, message)
    const asked = { workspaceId, personIds: [member.personId], emails: [to], owner: false }
    const { recipients, lovedOnes } = await ctx.careCircle.listMailRecipients(asked)
    const lovedOneName = lovedOnes.find(({ id }) => id === lovedOneId)?.name ?? ''
    const footer = await findFooter(ctx, workspaceId, message)
    const { files: withFiles = false, original: withOriginal = false } = request.parts ?? {}
    const isMember = recipients.some(({ email }) => email === to)
    const stored = await storeReply(
      ctx,
      {
        ...written(member, request),
        lovedOneId,
        messageRowId: message._id,
        to,
        ...toCc(copies),
        ...(footer !== undefined && { footer }),
        forward: { lovedOneName, withFiles, withOriginal, fileCount: countFiles(message, request) },
      },
      isMember,
      copies,
    )
    if (request.discardDraft) await ctx.drafts.deleteOne({ _id: mailDraftId(member.personId, message._id, 'forward') })
    await queueOrHold(ctx, stored)
    const word = isMember ? 'member' : await classify(ctx, workspaceId, to)
    const detail = { word: word satisfies AddressClass }
    await ctx.recordAct(member, {
      act: 'forward_message',
      message: { messageId, lovedOneId },
      detail,
      once: stored._id,
    })
    return { replyId: stored._id, to: stored.to }
  }
}

async function classify({ correspondents }: Context, workspaceId: string, to: string) {
  return (await correspondents.exists({ _id: correspondentId(workspaceId, to) })) ? 'address_book' : 'other'
}

function requireOutside({ config }: Context, written: string): string {
  const to = requireEmail('to', written)
  if (!isOwnAddress(config, to)) return to
  throw invalidArgument('to', 'to must be somebody else’s address: this one is an inbox of this service.')
}

/** @throws StatusError INVALID_ARGUMENT when they are too large for most mail servers */
function countFiles({ attachments, size }: Forwarded, { parts }: Request): number {
  const files = parts?.files ? attachments : []
  const bytes = files.reduce((sum, file) => sum + file.size, parts?.original ? size : 0)
  if (bytes > MAX_ATTACHMENTS_BYTES) throw invalidArgument('parts', ATTACHMENTS_TOO_LARGE)
  return files.length + (parts?.original ? 1 : 0)
}

function written({ workspaceId, personId, name }: Membership, { idempotencyKey: key, ...request }: Request) {
  const body = cleanText(request.body).trim()
  if (body.length > MAX_BODY) throw invalidArgument('body', `body must be at most ${MAX_BODY} characters.`)
  const idempotencyKey = optionalLine('idempotencyKey', key, 200)
  return {
    workspaceId,
    personId,
    name,
    body,
    ...(idempotencyKey !== '' && { idempotencyKey }),
    ...holdFor(request.undoSeconds),
  }
}
