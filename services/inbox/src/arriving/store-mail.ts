import { createHash } from 'node:crypto'
import type { SmtpEnvelope } from '@family-inbox/mail-reader/authenticity/authenticity'
import { comparableBody } from '@family-inbox/mail-reader/mime/comparable-body'
import type { ParsedMessage } from '@family-inbox/mail-reader/parsed-message'
import { hasPages, previewKind } from '@family-inbox/mail-reader/preview/preview-kind'
import { PreviewKind } from '@family-inbox/proto/inbox/v1/inbox'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { filteredRow } from '../deleting/move-aside.ts'
import { deriveMessageId, type Inbox, type Message, messageRowId } from '../models/message.ts'
import { type OriginalPiece, pieceIds, toPieces } from '../models/original.ts'
import { isKeptOut } from '../models/sender-filter.ts'
import type { AuthenticityChecks } from './authenticity-checks.ts'

export type Arriving = Context & { checks: AuthenticityChecks }

export type ReadableMail = {
  raw: Buffer
  /** SHA-256 of raw, hex, if it is too large for the message's row. */
  hash: string | undefined
  dedupeKey: string
  envelope: SmtpEnvelope
  receivedAt: Date
  parsed: ParsedMessage
  /** From before the family added the mailbox it was in. */
  isEarlier?: true | undefined
}

/** Stores a large original first, so no message lacks its own. A repeated delivery has the same keys. */
export async function storeMail(ctx: Arriving, inbox: Inbox, mail: ReadableMail): Promise<boolean> {
  await storeOriginal(ctx, inbox, mail)
  const row = toRow(inbox, mail)
  const isNewInJunk = await keepOut(ctx, row)
  if (isNewInJunk !== undefined) return isNewInJunk
  const isNew = await ctx.insertMessage(row)
  crashPoint('message-stored')
  if (isNew) startFollowUps(ctx, row)
  else await confirmDuplicate(ctx, row)
  return isNew
}

/**
 * Stores a mail in Junk if the family's filter keeps its sender out. A copy of a mail that is in Junk, in Deleted or in
 * another loved one's inbox already stays there.
 * The sender gets the same answer in each case. Mail in a member's name always arrives.
 * @returns whether it is new in Junk; undefined if it belongs in the inbox
 */
async function keepOut(ctx: Context, row: Message): Promise<boolean | undefined> {
  const { _id, workspaceId, lovedOneId, from } = row
  const [[filter], [known], [moved]] = await Promise.all([
    ctx.findSenderFilters([workspaceId]),
    ctx.findMessagesAside([_id]),
    ctx.findMovedMessages([_id]),
  ])
  if (known !== undefined || moved !== undefined) return false
  if (filter === undefined || !isKeptOut(filter, lovedOneId, from.address)) return undefined
  if ((await ctx.findRole(workspaceId, from.address.toLowerCase())) !== undefined) return undefined
  const aside = await ctx.seal(ctx.messagesAside, workspaceId, filteredRow(ctx, row))
  const [isNew = false] = await insertOnce(ctx.messagesAside.collection, [aside])
  crashPoint('message-kept-out')
  return isNew
}

function startFollowUps(ctx: Arriving, { _id, workspaceId, lovedOneId }: Message): void {
  ctx.checks.check({ _id, workspaceId })
  ctx.wake.index()
  ctx.liveUpdates.announce(workspaceId, { lovedOneId })
}

async function storeOriginal(ctx: Context, inbox: Inbox, { raw, hash, receivedAt }: ReadableMail): Promise<void> {
  if (hash === undefined) return
  for (const open of toPieces(inbox, hash, raw, receivedAt)) {
    const piece = await ctx.seal(ctx.originals, inbox.workspaceId, open)
    while (!(await storePiece(ctx, piece))) {}
  }
}

/** False if the existing piece expired just now. Otherwise extends its retention. */
async function storePiece(ctx: Context, piece: OriginalPiece): Promise<boolean> {
  const [isNew] = await insertOnce(ctx.originals.collection, [piece])
  if (isNew) return true
  const { _id, receivedAt } = piece
  return (await ctx.originals.updateOne({ _id }, { $max: { receivedAt } })).matchedCount === 1
}

/** An existing message counts once a majority has it on disk. A copy with other trace fields is not kept. */
async function confirmDuplicate(ctx: Context, row: Message): Promise<void> {
  const present = await ctx.messages.collection.findOne(
    { _id: row._id as never },
    { readConcern: { level: 'majority' }, projection: { originalHash: 1 } },
  )
  if (present === null) throw new Error('the original delivery is not durable yet')
  const { originalHash, size } = row
  if (originalHash === undefined || originalHash === present.originalHash) return
  await ctx.originals.deleteMany({ _id: { $in: pieceIds(row, originalHash, size) } })
}

function toRow(inbox: Inbox, { raw, hash, dedupeKey, envelope, receivedAt, parsed, isEarlier }: ReadableMail): Message {
  const { messageId, receivedHops: _hops, report: _report, html, ...shown } = parsed
  const id = deriveMessageId(inbox.addressId, dedupeKey)
  return {
    _id: messageRowId(inbox, id),
    ...inbox,
    conversationId: id,
    ...shown,
    messageIdHeader: messageId,
    hasMarkup: html !== undefined,
    attachmentCount: parsed.attachments.length,
    receivedAt,
    envelope,
    size: raw.length,
    authenticityPending: true,
    indexPending: true,
    ...(needsAttention(parsed) && !isEarlier && { opensConversation: true }),
    ...(parsed.attachments.some(hasPages) && { attachmentTextPending: true }),
    ...(hasCalendar(parsed) && { calendarAt: receivedAt, calendarPending: true as const }),
    ...(hash === undefined ? { original: raw } : { originalHash: hash }),
  }
}

/** False for automatic answers, lists, bounces and requests to confirm forwarding. A program's mail with a category counts. */
function needsAttention({ category, autoSubmitted = 'no' }: ParsedMessage): boolean {
  return category !== 'automated' && autoSubmitted !== 'auto-replied'
}

function hasCalendar({ attachments }: ParsedMessage): boolean {
  return attachments.some((file) => previewKind(file) === PreviewKind.INVITATION)
}

/**
 * Copies keep Message-ID, sender, subject, date and the bytes of the body; on its way, mail only gets fields and another transfer
 * encoding. What is shown does not count: two letters can look alike, or not be readable. Without a Message-ID, all bytes count.
 */
export function dedupeKey({ messageId, from, subject, sentAt }: ParsedMessage, raw: Uint8Array): string {
  const hash = createHash('sha256')
  if (!messageId) return hash.update(raw).digest('hex')
  hash.update(JSON.stringify([messageId, from.address.toLowerCase(), from.name, subject, sentAt?.getTime()]))
  return hash.update(comparableBody(raw)).digest('hex')
}
