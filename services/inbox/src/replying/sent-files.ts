import type { Context } from '../context.ts'
import type { Reply, SentFile } from '../models/reply.ts'
import type { ReplyFile } from '../models/reply-file.ts'
import { removeFile } from './reply-files.ts'

/** As the row of a reply has them. */
export function toAttachments(files: ReplyFile[]): { attachments?: SentFile[] } {
  return files.length === 0 ? {} : { attachments: files.map(toSentFile) }
}

function toSentFile({ _id, filename, contentType, size, hash }: ReplyFile): SentFile {
  return { file: _id, filename, contentType, size, hash }
}

/** A repeated form may have brought the files again. */
export async function removeRepeated(ctx: Context, files: ReplyFile[], { attachments = [] }: Reply): Promise<void> {
  const sent = new Set(attachments.map(({ file }) => file))
  for (const { _id } of files) if (!sent.has(_id)) await removeFile(ctx, _id)
}
