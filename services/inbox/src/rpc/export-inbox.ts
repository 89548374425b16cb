import type { AttachmentContent } from '@family-inbox/mail-reader/mime/attachments'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { ExportPiece } from '@family-inbox/proto/export/v1/export'
import type { ExportInboxRequest, ExportInboxResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { StreamHandler } from '@family-inbox/service-kit/rpc/call'
import {
  exportFile,
  exportJson,
  exportRows,
  exportStream,
  safeFileName,
  toPieces,
  withIds,
} from '@family-inbox/service-kit/rpc/export-files'
import type { Context } from '../context.ts'
import { findTextsOf } from '../models/attachment-text.ts'
import { formatAddress } from '../models/inbox-address.ts'
import { EXPORTED_MAILBOX } from '../models/mailbox.ts'
import { type Message, publicIdOf } from '../models/message.ts'
import { type MessageAside, VISIBLE } from '../models/message-aside.ts'
import { readOriginal } from '../models/original.ts'
import { readPieces } from '../models/reply-file.ts'
import { readRows } from '../storage/read-rows.ts'

/** The mail, its copy in the thread that decodes it, and its attachments. */
const MEMORY_FACTOR = 3
const NOT_EXPORTED = {
  idempotencyKey: 0,
  requestHash: 0,
  mailQueuedAt: 0,
  'attachments.file': 0,
  'attachments.hash': 0,
} as const

/** Streams the workspace's mail and the caller's own drafts as files, message by message to bound memory. What was deleted stays out. */
export function exportInbox(ctx: Context): StreamHandler<ExportInboxRequest, ExportInboxResponse> {
  return async function* (_request, call) {
    const { workspaceId, personId, role } = await ctx.requireMember(call)
    const replies = ctx.replies
      .find({ workspaceId, deletedAt: null }, { ...NOT_EXPORTED })
      .sort({ createdAt: 1 })
      .lean()
      .cursor()
    const drafts = ctx.drafts.find({ workspaceId, personId }).sort({ changedAt: 1 }).lean().cursor()
    const proposals = ctx.replyProposals
      .find(
        { workspaceId, ...(role === Role.VIEWER && { state: { $ne: 'waiting' as const } }) },
        { idempotencyKey: 0, derivedKey: 0, requestHash: 0, guardMark: 0 },
      )
      .sort({ createdAt: 1 })
      .lean()
      .cursor()
    const correspondents = ctx.correspondents.find({ workspaceId }, { _id: 0, workspaceId: 0 }).lean().cursor()
    const footers = ctx.replyFooters.find({ workspaceId }, { _id: 0 }).lean().cursor()
    const statuses = ctx.conversationStatuses.find({ workspaceId }, { handedOver: 0, version: 0 }).lean().cursor()
    const notes = ctx.notes.find({ workspaceId }, { toNotify: 0 }).sort({ createdAt: 1 }).lean().cursor()
    const reminders = ctx.reminders
      .find({ workspaceId }, { dueAt: 0, keptUntil: 0 })
      .sort({ createdAt: 1 })
      .lean()
      .cursor()
    yield* toPieces(
      exportRows('mail/addresses.json', shownAddresses(ctx, workspaceId)),
      exportRows('mail/replies.json', withIds(opened(ctx, replies))),
      exportRows('mail/reply-proposals.json', withIds(opened(ctx, proposals))),
      exportRows('mail/drafts.json', withIds(opened(ctx, drafts))),
      exportRows('mail/reply-footers.json', footers),
      exportRows('mail/address-book.json', correspondents),
      exportRows('mail/status.json', withIds(statuses)),
      exportRows('mail/notes.json', withIds(opened(ctx, notes))),
      exportRows('mail/reminders.json', withIds(reminders)),
      exportRows('mail/mailboxes.json', ctx.mailboxes.find({ workspaceId }, EXPORTED_MAILBOX).lean().cursor()),
    )
    yield* toPieces(exportSentFiles(ctx, workspaceId))
    for await (const message of readRows<Message>(ctx, ctx.messages, workspaceId))
      yield* toPieces(exportMessage(ctx, message, 'mail', call.signal))
    for await (const { message } of readRows<MessageAside>(ctx, ctx.messagesAside, workspaceId, {
      place: 'junk',
      ...VISIBLE,
    }))
      yield* toPieces(exportMessage(ctx, message, 'junk', call.signal))
  }
}

/** A cursor returns rows as they are stored. */
async function* opened<Row>({ workspaceKeys }: Context, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  for await (const row of rows) yield workspaceKeys.open(row)
}

/** Each file that went with a reply, in a folder named by the reply's id. */
async function* exportSentFiles(ctx: Context, workspaceId: string): AsyncGenerator<ExportPiece> {
  const replies = ctx.replies.find({ workspaceId, deletedAt: null, 'attachments.0': { $exists: true } }).lean()
  for await (const { _id, attachments = [], createdAt } of opened(ctx, replies.cursor()))
    for (const [index, { file, filename, size }] of attachments.entries()) {
      const path = `mail/reply-attachments/${_id}/${index + 1} ${safeFileName(filename)}`
      yield* exportStream(path, readPieces(ctx, { _id: file, size }), createdAt)
    }
}

async function* shownAddresses(ctx: Context, workspaceId: string): AsyncGenerator<object> {
  const rows = ctx.inboxAddresses.find({ workspaceId }).sort({ createdAt: 1 }).lean().cursor()
  for await (const { lovedOneId, createdAt, removedAt, ...row } of rows)
    yield { address: formatAddress(row, ctx.config), lovedOneId, createdAt, removedAt }
}

/** Waits for memory first; yields nothing if the message is being deleted. */
async function* exportMessage(
  ctx: Context,
  message: Message,
  place: string,
  signal: AbortSignal,
): AsyncGenerator<ExportPiece> {
  using memory = await ctx.mailMemory.takeWhenFree([message.workspaceId], MEMORY_FACTOR * message.size, signal)
  if (memory === undefined) return
  const raw = await readOriginal(ctx, message)
  if (raw === null) return
  const [attachments, texts] =
    message.attachmentCount === 0
      ? [[], new Map()]
      : [await readFiles(ctx, message, raw, signal), await findTextsOf(ctx, message._id)]
  yield* filesOf(message, `${place}/${folderOf(message)}`, raw, attachments, texts)
}

/** Attachments that take too long are only in the original mail. */
async function readFiles(ctx: Context, { _id, workspaceId }: Message, raw: Uint8Array, signal: AbortSignal) {
  try {
    return await ctx.mailOpener.files(workspaceId, new Uint8Array(raw), signal)
  } catch (error) {
    signal.throwIfAborted()
    ctx.logger.warn({ ...describeError(error), message: _id }, 'attachments could not be exported')
    return []
  }
}

function* filesOf(
  message: Message,
  folder: string,
  raw: Uint8Array,
  attachments: AttachmentContent[],
  texts: Map<number, string>,
): Generator<ExportPiece> {
  const { receivedAt } = message
  yield* exportFile(`${folder}/message.eml`, raw, receivedAt)
  yield* exportJson(`${folder}/message.json`, shown(message, texts), receivedAt)
  for (const [index, { filename, content }] of attachments.entries())
    yield* exportFile(`${folder}/attachments/${index + 1} ${safeFileName(filename)}`, content, receivedAt)
}

/** Sorts by time in every file manager; the id keeps names unique. */
function folderOf(message: Message): string {
  const time = message.receivedAt.toISOString().slice(0, 16).replace('T', ' ').replace(':', '.')
  return `${message.lovedOneId}/${time} ${publicIdOf(message)}`
}

/** @param texts what its files say, by their index */
function shown(message: Message, texts: Map<number, string>): object {
  const {
    subject,
    from,
    originalSender,
    forwardedByMember = false,
    to,
    category,
    sentAt,
    receivedAt,
    text,
    truncated,
  } = message
  const { authenticity, automated, attachments, messageIdHeader, rearranged } = message
  return {
    id: publicIdOf(message),
    lovedOneId: message.lovedOneId,
    subject,
    from,
    originalSender,
    ...(originalSender && { originalVerified: forwardedByMember }),
    to,
    category,
    sentAt,
    receivedAt,
    messageId: messageIdHeader,
    automated,
    authenticity,
    text,
    truncated,
    rearranged: rearranged?.map(({ undo: _undo, ...act }) => act),
    attachments: attachments.map(({ index, filename, contentType, size, sha256 }) => ({
      filename,
      contentType,
      size,
      sha256,
      text: texts.get(index),
    })),
  }
}
