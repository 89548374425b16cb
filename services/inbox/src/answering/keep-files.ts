import type { AttachmentMeta } from '@family-inbox/mail-reader/mime/attachments'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { ATTACHMENT_PIECE_BYTES } from '@family-inbox/workspace-kit/reply-attachments'
import type { Context } from '../context.ts'
import { type ReplyFile, replyFileId } from '../models/reply-file.ts'
import { addPiece, type FileOwner, findFilesToSend, removeFile } from '../replying/reply-files.ts'
import { reserveMailMemory } from '../storage/find-original.ts'

const READ_FOR_MS = 5000
const ID_CHARS = 40

/**
 * Keeps the files of an answer as the page keeps those of a reply, under the same limits: all of them, or none.
 * @param key of the mail: repeating it keeps nothing twice
 * @throws StatusError why they cannot go with a reply
 */
export async function keepFiles(
  ctx: Context,
  owner: FileOwner,
  key: string,
  raw: Buffer,
  attachments: AttachmentMeta[],
): Promise<ReplyFile[]> {
  if (attachments.length === 0) return []
  const signal = AbortSignal.timeout(READ_FOR_MS)
  using _memory = await reserveMailMemory(ctx, owner.workspaceId, raw.length, signal).catch(() => {
    throw new StatusError('UNAVAILABLE', 'Too many files are open right now.')
  })
  // Opening moves the bytes to a thread.
  const files = await ctx.mailOpener.files(owner.workspaceId, new Uint8Array(raw), signal)
  const ids = files.map((_, index) => `${key.replace(/\W/g, '-').slice(0, ID_CHARS)}-${index}`)
  try {
    for (const [index, file] of files.entries()) await keepFile(ctx, owner, ids[index] ?? '', file)
    return await findFilesToSend(ctx, owner, ids)
  } catch (error) {
    if (error instanceof StatusError)
      await removeFiles(
        ctx,
        ids.map((id) => ({ _id: replyFileId(owner, id) })),
      )
    throw error
  }
}

async function keepFile(
  ctx: Context,
  owner: FileOwner,
  attachmentId: string,
  { filename, content }: { filename: string; content: Uint8Array },
): Promise<void> {
  const count = Math.max(1, Math.ceil(content.length / ATTACHMENT_PIECE_BYTES))
  for (let index = 0; index < count; index += 1) {
    const data = content.subarray(index * ATTACHMENT_PIECE_BYTES, (index + 1) * ATTACHMENT_PIECE_BYTES)
    await addPiece(ctx, owner, { attachmentId, filename, index, data, last: index === count - 1 })
  }
}

/** Those of an answer that was refused. */
export async function removeFiles(ctx: Context, files: Pick<ReplyFile, '_id'>[]): Promise<void> {
  for (const { _id } of files) await removeFile(ctx, _id)
}
