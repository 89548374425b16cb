import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { MAX_ATTACHMENTS } from '@family-inbox/workspace-kit/reply-attachments'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'

/** The longest reply in any script, in bytes. */
const MAX_FIELD_BYTES = 128 * 1024
const MAX_FIELDS = 50
/** Names and values together. */
export const MAX_FORM_BYTES = 256 * 1024

export type OnFile = (file: Readable, filename: string) => Promise<void>

/**
 * Reads a multipart form (RFC 7578), adding its fields to `fields`. Files are read one after another, each with the fields
 * before it. When `onFile` throws or the fields are too large, the rest of the form is discarded.
 */
export async function readMultipart(req: IncomingMessage, fields: URLSearchParams, onFile: OnFile): Promise<void> {
  const parser = createParser(req)
  const done = Promise.withResolvers<void>()
  let files = Promise.resolve()
  let open: Readable | undefined
  const fail = (error: Error) => {
    open?.destroy(error)
    done.reject(error)
  }
  let bytes = 0
  parser.on('field', (name, value) => {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value)
    if (bytes > MAX_FORM_BYTES) fail(tooLarge())
    else fields.append(name, value)
  })
  parser.on('file', (_field, file, filename) => {
    // Without a listener, an error in a file that waits for its turn would end the process.
    file.on('error', () => {})
    open = file
    files = files.then(() => onFile(file, filename ?? ''))
    files.catch(done.reject)
  })
  parser.on('finish', () => void files.then(done.resolve, done.reject))
  parser.on('error', () => fail(unreadable()))
  const leave = () => {
    if (!req.complete) fail(unreadable())
  }
  req.once('close', leave).pipe(parser)
  try {
    await done.promise
  } finally {
    req.off('close', leave).unpipe(parser)
    // Browsers read an answer only after they have sent everything.
    req.resume()
    await files.catch(() => {})
  }
}

function createParser(req: IncomingMessage): BusboyInstance {
  const limits = { fieldSize: MAX_FIELD_BYTES, fields: MAX_FIELDS, files: MAX_ATTACHMENTS + 1 }
  try {
    return new Busboy({ headers: req.headers as BusboyHeaders, limits })
  } catch {
    throw unreadable()
  }
}

function tooLarge(): StatusError {
  return new StatusError('INVALID_ARGUMENT', 'This form has too much text. Shorten it and send it again.')
}

function unreadable(): StatusError {
  return new StatusError('INVALID_ARGUMENT', 'We couldn’t read the form.')
}
