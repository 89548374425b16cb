import { Readable } from 'node:stream'
import type { AttachmentMeta } from '@family-inbox/mail-reader/mime/attachments'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import type { SendMailOptions } from 'nodemailer'
import type { Context } from '../context.ts'
import { ORIGINAL_FIELDS, readOriginal } from '../models/original.ts'
import type { Forward, Reply } from '../models/reply.ts'
import { readPieces } from '../models/reply-file.ts'
import { readAttachmentContent } from '../storage/attachment-content.ts'
import { type OriginalRow, reserveMailMemory } from '../storage/find-original.ts'

/** Of one file: opening it, and its turn among what is in memory. */
const READ_FOR_MS = 30_000

type MailFiles = NonNullable<SendMailOptions['attachments']>

/**
 * The files of a queued mail, read a piece at a time while it is sent. They are found by the reply, not by the queue: a queued
 * mail can only take the files of its own reply, to the reply's own recipient.
 * @returns undefined when they are gone
 */
export async function findMailFiles(ctx: Context, mail: OutgoingMail): Promise<MailFiles | undefined> {
  const { id, workspaceId, toAddress, shared, attachmentCount = 0 } = mail
  if (attachmentCount === 0 || mail.kind !== MailKind.REPLY) return []
  const fields = { attachments: 1, forward: 1, messageRowId: 1 } as const
  const recipient = { $or: [{ to: toAddress }, { cc: toAddress }] }
  const reply = await ctx.replies.findOne({ _id: shared?.id ?? id, workspaceId, ...recipient }, fields).lean()
  const files = reply?.forward
    ? await findForwardedFiles(ctx, reply.messageRowId, reply.forward)
    : sentFiles(ctx, reply)
  return files?.length === attachmentCount ? files : undefined
}

function sentFiles(ctx: Context, reply: Pick<Reply, 'attachments'> | null): MailFiles | undefined {
  return reply?.attachments?.map(({ file, filename, contentType, size }) => ({
    filename,
    contentType,
    content: Readable.from(readPieces(ctx, { _id: file, size })),
  }))
}

/** As they came. The message may be in Junk or Deleted by now. */
async function findForwardedFiles(
  ctx: Context,
  _id: string,
  { withFiles, withOriginal }: Forward,
): Promise<MailFiles | undefined> {
  const row = await findRow(ctx, _id)
  if (row === undefined) return undefined
  const fileOf = async (meta: AttachmentMeta, signal: AbortSignal) =>
    (await readAttachmentContent(ctx, row, meta, signal)).content
  return [
    ...(withFiles ? row.attachments : []).map((meta) => ({
      filename: meta.filename,
      contentType: meta.contentType,
      content: Readable.from(readInTurn(ctx, row, (signal) => fileOf(meta, signal))),
    })),
    ...(withOriginal
      ? [
          {
            filename: 'original.eml',
            contentType: 'message/rfc822',
            content: Readable.from(readInTurn(ctx, row, () => readOriginal(ctx, row))),
          },
        ]
      : []),
  ]
}

/** Read only when the mail has got so far: a mail is in memory once, however many of its files are sent. */
async function* readInTurn(
  ctx: Context,
  row: OriginalRow,
  read: (signal: AbortSignal) => Promise<Uint8Array | null>,
): AsyncGenerator<Uint8Array> {
  const signal = AbortSignal.timeout(READ_FOR_MS)
  using _memory = await reserveMailMemory(ctx, row.workspaceId, row.size, signal)
  const bytes = await read(signal)
  if (bytes === null) throw new Error('a mail that is being forwarded is gone')
  yield bytes
}

async function findRow(
  { messages, messagesAside, workspaceKeys }: Context,
  _id: string,
): Promise<OriginalRow | undefined> {
  const projection = { ...ORIGINAL_FIELDS, attachments: 1 }
  // The native driver returns the original's bytes as they are.
  const [row, aside] = await Promise.all([
    messages.collection.findOne({ _id: _id as never }, { projection, promoteBuffers: true }),
    messagesAside.collection.findOne({ _id: _id as never }, { projection: { message: 1 }, promoteBuffers: true }),
  ])
  return workspaceKeys.open((row ?? aside?.message ?? undefined) as OriginalRow | undefined)
}
