import type { IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
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
 * @throws StatusError INVALID_ARGUMENT when the form is cut or malformed; `onFile` may have had some of its files
 */
export async function readMultipart(req: IncomingMessage, fields: URLSearchParams, onFile: OnFile): Promise<void> {
  await readParts(req, createParser(req), fields, onFile)
}

/** Ends with the body, whatever the parser does: one turn after the last byte, a parser has said all it will ever say. */
export async function readParts(
  body: Readable,
  parser: BusboyInstance,
  fields: URLSearchParams,
  onFile: OnFile,
): Promise<void> {
  const failed = Promise.withResolvers<never>()
  let failure: Error | undefined
  const fail = (error: Error) => {
    failure ??= error
    for (const { file } of arriving) file.destroy(failure)
    failed.reject(failure)
  }
  const arriving: Arriving[] = []
  let earlier = Promise.resolve()
  let all = Promise.resolve()
  parser.on('file', (_field, part, filename) => {
    const one = receive(part)
    arriving.push(one)
    earlier = all
    all = all.then(() => {
      if (failure === undefined) return onFile(one.file, filename ?? '')
    })
    all.catch(fail).finally(() => one.file.destroy())
  })
  let bytes = 0
  parser.on('field', (name, value) => {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value)
    if (bytes > MAX_FORM_BYTES) fail(tooLarge())
    else fields.append(name, value)
  })
  let isFinished = false
  parser.on('finish', () => {
    isFinished = true
  })
  parser.on('error', () => fail(unreadable()))

  async function take(chunk: Buffer): Promise<void> {
    parser.write(chunk)
    await turn()
    if (parser.writableLength > 0 || arriving.slice(0, -1).some(isOpen)) fail(unreadable())
    await earlier.catch(() => {})
    await arriving.at(-1)?.whenTaken()
  }

  async function parse(): Promise<void> {
    // Browsers read an answer only after they have sent everything, so the rest is read after a failure, too.
    for await (const chunk of body) if (failure === undefined) await take(chunk).catch(() => fail(unreadable()))
    if (failure !== undefined) return
    parser.end()
    await turn()
    if (!isFinished || arriving.some(isOpen)) fail(unreadable())
  }

  try {
    await Promise.race([parse().catch(() => fail(unreadable())), failed.promise])
    await all
    if (failure !== undefined) throw failure
  } finally {
    await all.catch(() => {})
  }
}

type Arriving = {
  file: PassThrough
  /** Resolves when the reader is ready for more, or has left. */
  whenTaken(): Promise<void>
}

/** The parser is never held back, so that it says everything about a chunk before it gets the next. */
function receive(part: Readable): Arriving {
  const file = new PassThrough()
  let wake = () => {}
  const tell = () => wake()
  // Without a listener, an error in a file that waits for its turn would end the process.
  file
    .on('error', () => {})
    .on('drain', tell)
    .on('close', tell)
  part.on('data', (chunk) => file.write(chunk))
  part.on('end', () => file.end())
  part.on('error', () => file.destroy(unreadable()))
  return {
    file,
    async whenTaken() {
      if (!file.writableNeedDrain) return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    },
  }
}

function isOpen({ file }: Arriving): boolean {
  return !file.writableEnded && !file.destroyed
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
