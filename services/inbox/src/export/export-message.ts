import { setTimeout as sleep } from 'node:timers/promises'
import type { ExportPiece } from '@family-inbox/proto/export/v1/export'
import { exportFile, exportJson, safeFileName } from '@family-inbox/service-kit/rpc/export-files'
import type { Context } from '../context.ts'
import { attachmentName, attachmentParts } from '../mail/attachments.ts'
import { readMimeTree } from '../mail/mime-tree.ts'
import { decodeTransfer } from '../mail/transfer-encoding.ts'
import { type Message, messageIdOf } from '../models/message.ts'
import { readOriginal } from '../models/original.ts'

/** The mail and one attachment of it. */
const COPIES = 2

/**
 * One message as a folder: the mail exactly as it arrived, what the inbox shows of it, and its attachments; nothing of
 * one that is being deleted. It waits its turn: a mail is held in memory for as long as it is sent.
 */
export async function* exportMessage(ctx: Context, message: Message, signal: AbortSignal): AsyncGenerator<ExportPiece> {
  using memory = await ctx.mailMemory.takeWhenFree([message.workspaceId], COPIES * message.size, signal)
  if (memory === undefined) return
  const raw = await readOriginal(ctx.originals, message)
  if (raw !== null) yield* filesOf(message, raw)
}

function* filesOf(message: Message, raw: Uint8Array): Generator<ExportPiece> {
  const folder = folderOf(message)
  const { receivedAt } = message
  yield* exportFile(`${folder}/message.eml`, raw, receivedAt)
  yield* exportJson(`${folder}/message.json`, shown(message), receivedAt)
  if (message.attachmentCount === 0) return
  for (const [index, part] of attachmentParts(readMimeTree(raw).root).entries()) {
    const name = safeFileName(attachmentName(part, index))
    yield* exportFile(
      `${folder}/attachments/${index + 1} ${name}`,
      decodeTransfer(part.body, part.encoding),
      receivedAt,
    )
  }
}

/** Sorts by time in every file manager, and is told apart by the message's id. */
function folderOf(message: Message): string {
  const time = message.receivedAt.toISOString().slice(0, 16).replace('T', ' ').replace(':', '.')
  return `mail/${message.lovedOneId}/${time} ${messageIdOf(message)}`
}

/** What the application shows; where the mail came from technically is in the mail itself. */
function shown(message: Message): object {
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
  const { authenticity, automated, attachments, messageIdHeader } = message
  return {
    id: messageIdOf(message),
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
    attachments: attachments.map(({ filename, contentType, size, sha256 }) => ({
      filename,
      contentType,
      size,
      sha256,
    })),
  }
}

/** Rows read at once: each may hold an original of 64 KB. */
const AT_ONCE = 50
/** A download of many minutes is not given up for a moment in which the database is away. */
const TRIES = 5
const AGAIN_MS = 1000

/**
 * A household's messages, one loved one's after the other's. Each page is a look-up of its own by key, so a reader may take
 * as long as their line needs, and what arrives meanwhile does no harm.
 */
export async function* readMessages(ctx: Context, workspaceId: string): AsyncGenerator<Message> {
  let last = `${workspaceId}/`
  for (;;) {
    const page = await readPage(ctx, { $gt: last, $lt: `${workspaceId}0` })
    yield* page
    if (page.length < AT_ONCE) return
    last = page.at(-1)?._id ?? last
  }
}

/** The driver's own look-up: it hands out the originals' bytes as they are. */
async function readPage(ctx: Context, keys: { $gt: string; $lt: string }, tries = TRIES): Promise<Message[]> {
  try {
    const rows = ctx.messages.collection.find({ _id: keys as never }, { promoteBuffers: true })
    return (await rows.sort({ _id: 1 }).limit(AT_ONCE).toArray()) as unknown as Message[]
  } catch (error) {
    if (tries <= 1) throw error
    await sleep(AGAIN_MS)
    return readPage(ctx, keys, tries - 1)
  }
}
