import { findBoundary } from './find-boundary.ts'
import { isMultipart, type MimePart, makePart } from './mime-part.ts'

const SNIFFED_BYTES = 2048
const PART_FIELD = /^content-(?:type|transfer-encoding)[ \t]*:/im
const MAX_SHOWN_BYTES = 256 * 1024
/** Structure, and files in base64. */
const NO_TEXT = /^(?:--|content-[\w-]+[ \t]*:|mime-version[ \t]*:|[A-Za-z\d+/=]{60,}\s*$)/i
/** The notice that programs write for readers without MIME. */
const MAX_NOTICE_CHARS = 300
const NOTICE = /mime|multi-?part/i

/** Whether a part begins before the first boundary: the boundary in front of it is lost. */
export function hasLostPart(root: MimePart): boolean {
  if (root.children.length === 0 || !isMultipart(root)) return false
  const start = startOfLine(root.body, `--${root.parameters.get('boundary') ?? ''}`)
  return start > 0 && PART_FIELD.test(root.body.toString('latin1', 0, Math.min(start, SNIFFED_BYTES)))
}

type Readers = {
  readEntity: (bytes: Buffer) => MimePart
  readParts: (multipart: MimePart, body: Buffer, boundary: string) => void
  /** Whether the mail has a text now. */
  chooseText: (root: MimePart) => boolean
}

/**
 * Adds the text of a mail that has none, or misses a part, which is before its first boundary or after its last (RFC 2046 section 5.1.1 has both ignored):
 * as parts if it looks like some, else as it is.
 */
export function rescueText(root: MimePart, mail: Buffer, readers: Readers): void {
  const [first] = root.children
  if (!isMultipart(root) || first === undefined) return
  const whole = mail.subarray(root.body.byteOffset - mail.byteOffset)
  const boundary = root.parameters.get('boundary') ?? ''
  const start = startOfLine(whole, `--${boundary}`)
  const outside = [whole.subarray(0, Math.max(0, start)), whole.subarray(root.body.length)]
  for (const bytes of outside) {
    const part = bytes.length === 0 ? undefined : readOutside(bytes, readers)
    if (part === undefined || (part.children.length === 0 && isNotice(part.body.toString('latin1')))) continue
    part.parent = root
    root.children.unshift(part)
  }
  if (readers.chooseText(root)) return
  const kept = outside.flatMap((bytes) => bytes.toString('latin1', 0, MAX_SHOWN_BYTES).split('\n'))
  const text = textPart(kept.filter((line) => !NO_TEXT.test(line) && !NOTICE.test(line)).join('\n'), root)
  if (text) root.children.unshift(text)
}

function readOutside(bytes: Buffer, { readEntity, readParts }: Readers): MimePart | undefined {
  const field = PART_FIELD.exec(bytes.toString('latin1', 0, SNIFFED_BYTES))
  const boundary = findBoundary(bytes)
  const isBefore = boundary !== undefined && startOfLine(bytes, `--${boundary}`) < (field?.index ?? bytes.length)
  if (field && !isBefore) return readEntity(bytes.subarray(field.index))
  if (boundary === undefined) return undefined
  const part = makePart('multipart/mixed', new Map([['boundary', boundary]]))
  readParts(part, bytes, boundary)
  return part
}

function startOfLine(body: Buffer, line: string): number {
  if (body.toString('latin1', 0, line.length) === line) return 0
  const found = body.indexOf(`\n${line}`, 0, 'latin1')
  return found < 0 ? -1 : found + 1
}

function isNotice(text: string): boolean {
  return text.length < MAX_NOTICE_CHARS && NOTICE.test(text)
}

function textPart(text: string, parent: MimePart): MimePart | undefined {
  if (text.trim() === '') return undefined
  const part = makePart('text/plain', new Map(), parent)
  part.body = Buffer.from(text, 'latin1')
  return part
}
