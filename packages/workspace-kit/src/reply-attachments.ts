import type { IncomingMessage } from 'node:http'

const MB = 1024 * 1024

/** The limit for a reply. With base64 and line breaks, a mail of this size is within what most mail servers accept. */
export const MAX_ATTACHMENTS_BYTES = 20 * MB
export const MAX_ATTACHMENTS = 20
/** Files travel to inbox and are stored in pieces of this size. */
export const ATTACHMENT_PIECE_BYTES = MB

/** A form with files that are a little too large still arrives, so that its page can say so and keep the text. */
export const MAX_UPLOAD_BYTES = 32 * MB

export const ATTACHMENTS_TOO_LARGE = 'Files can be up to 20 MB together.'

const PATH = /^\/inbox\/(?:[^/?]+\/[^/?]+\/(?:reply|draft|attachments)|write(?:\/draft|\/attachments)?)$/

/** Whether a request sends files of a reply or a new message. Only these may be large, and may take as long as they make progress. */
export function isFileUpload({ method, url, headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): boolean {
  if (method !== 'POST' || !headers['content-type']?.toLowerCase().startsWith('multipart/form-data')) return false
  return PATH.test(url ?? '')
}
