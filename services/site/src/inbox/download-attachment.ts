import { create as contentDisposition } from 'content-disposition'
import type { Context } from '../context.ts'
import { messageIdsOf } from '../shell/inbox-paths.ts'
import type { Reply } from '../shell/visit.ts'
import { undefinedIfMissing, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { messageMissing } from './read-message.ts'

/** Types that cannot run code. All others are served as application/octet-stream. */
const SAFE_TYPES =
  /^(?:application\/(?:pdf|msword|rtf|zip|vnd\.(?:ms-excel|ms-powerpoint|oasis\.opendocument\.\w+|openxmlformats-officedocument\.[\w.]+))|image\/(?:png|jpeg|gif|webp|tiff|heic)|audio\/[\w.+-]+|video\/[\w.+-]+|text\/(?:plain|csv|calendar))$/

/** Streams an attachment as a download, never inline (RFC 6266). */
export function downloadAttachment(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = {
      ...messageIdsOf(visit),
      index: readIndex(visit.param('index')),
    }
    const options = { token: workspace.session.principal, signal: visit.signal }
    return fileReply(workspace, ctx.inbox.downloadAttachment(request, options))
  }
}

/** Streams a file that went with a reply. */
export function downloadSentFile(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = { replyId: visit.id('replyId'), index: readIndex(visit.param('index')) }
    const options = { token: workspace.session.principal, signal: visit.signal }
    return fileReply(workspace, ctx.inbox.downloadReplyAttachment(request, options))
  }
}

type FilePiece = {
  attachment: { filename: string; contentType: string; size: number } | undefined
  chunk: Uint8Array
}

/** The answer for a file, whose first piece describes it. */
async function fileReply(workspace: Workspace, pieces: AsyncIterable<FilePiece>): Promise<Reply> {
  const chunks = pieces[Symbol.asyncIterator]()
  const first = await chunks.next().catch(undefinedIfMissing)
  const attachment = first?.value?.attachment
  if (attachment === undefined) return messageMissing(workspace)
  const { filename, contentType, size } = attachment
  return {
    headers: {
      'Content-Type': SAFE_TYPES.test(contentType) ? contentType : 'application/octet-stream',
      'Content-Length': `${size}`,
      'Content-Disposition': contentDisposition(filename),
      'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    },
    body: bytesOf(first?.value, chunks),
  }
}

function readIndex(text: string): number {
  return /^\d{1,4}$/.test(text) ? Number(text) : -1
}

async function* bytesOf(first: FilePiece | undefined, rest: AsyncIterator<FilePiece>): AsyncGenerator<Uint8Array> {
  if (first) yield first.chunk
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value.chunk
}
