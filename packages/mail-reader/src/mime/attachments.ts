import { createHash } from 'node:crypto'
import { cleanLine } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'
import { decodeWords } from 'postal-mime'
import { beginsLikeCalendar } from './calendar-content.ts'
import { rawField } from './header-fields.ts'
import { MAX_ATTACHMENTS } from './limits.ts'
import { readSubject } from './message-fields.ts'
import { isBodyText, isMessage, isMultipart, leaves, type MimePart } from './mime-part.ts'
import { readMimeTree } from './mime-tree.ts'
import { decodeTransfer } from './transfer-encoding.ts'

const MAX_FILENAME_CHARS = 150
const EXTENSIONS: Record<string, string> = {
  'application/pdf': '.pdf',
  'application/zip': '.zip',
  'application/json': '.json',
  'application/ms-tnef': '.dat',
  'application/pkcs7-signature': '.p7s',
  'application/pgp-signature': '.asc',
  'image/jpeg': '.jpg',
  'image/svg+xml': '.svg',
  'message/delivery-status': '.txt',
  'text/plain': '.txt',
  'text/calendar': '.ics',
  'application/ics': '.ics',
}

export type AttachmentMeta = {
  index: number
  filename: string
  contentType: string
  size: number
  /** Meant for display inside the message, such as an image in its HTML. */
  inline: boolean
  contentId?: string
  /** A picture that the HTML of the mail refers to. */
  embedded?: true
  sha256: string
  /** It begins like a calendar, whatever its type. */
  calendar?: true
}

/** Which file of a mail; the hash finds it even if an earlier version counted the files in another way. */
export type AttachmentKey = Pick<AttachmentMeta, 'index' | 'sha256'>

/** Nested messages count only at the top level: each contains the next, so the cost would be quadratic. */
export function attachmentParts(root: MimePart): MimePart[] {
  const found: MimePart[] = []
  const pending = [root]
  for (let part = pending.pop(); part; part = pending.pop()) {
    if (isContainer(part) || isShownText(part) || isAlternativeMarkup(part)) pending.push(...part.children.toReversed())
    else if (!isSignature(part)) found.push(part, ...filesInside(part))
  }
  return found
}

/** A part that was taken apart is not offered itself, except a signed file: its signature may be needed. */
function isContainer(part: MimePart): boolean {
  return isMultipart(part) || part.isOpened === true
}

/** A text with a file name stays a file, too. */
function isShownText(part: MimePart): boolean {
  return isBodyText(part) && !part.isOnlyText
}

/** The signature of the mail itself (RFC 1847), also when a mailing list has put the signed mail into another one. */
function isSignature(part: MimePart): boolean {
  if (part.parent?.type === 'multipart/signed' && SIGNATURE_TYPE.test(part.type)) return true
  const name = part.disposition.parameters.get('filename') ?? part.parameters.get('name') ?? ''
  const isNamed = /^(?:smime\.p7s|signature\.asc)$/i.test(name)
  return isNamed || (name === '' && SIGNATURE_TYPE.test(part.type)) || part.type === 'application/pgp-encrypted'
}

const SIGNATURE_TYPE = /^application\/(?:(?:x-)?pkcs7-signature|pgp-signature)$/

function filesInside(message: MimePart): MimePart[] {
  return leaves(message).filter(
    (leaf) => leaf !== message && !isShownText(leaf) && !isAlternativeMarkup(leaf) && !isSignature(leaf),
  )
}

/** @param html of the mail */
export function describeAttachments(root: MimePart, html = ''): { attachments: AttachmentMeta[]; truncated: boolean } {
  const parts = attachmentParts(root)
  const hasPictures = parts.some(({ type }) => type.startsWith('image/'))
  const references = hasPictures ? Array.from(html.matchAll(REFERENCE), ([, id = '']) => id.toLowerCase()) : []
  const embedded = new Set(references)
  const describe = (part: MimePart, index: number) => describeAttachment(part, index, embedded)
  return {
    attachments: parts.slice(0, MAX_ATTACHMENTS).map(describe),
    truncated: parts.length > MAX_ATTACHMENTS,
  }
}

/** A name that is safe to store and download; derived from the type if the part has none. */
export function attachmentName(part: MimePart, index: number): string {
  const given = part.disposition.parameters.get('filename') ?? part.parameters.get('name') ?? ''
  const name = safeName(decodeWords(given))
  if (name) return name
  if (isMessage(part)) return `${safeName(readSubject(part.children[0]?.fields ?? [])) || 'message'}.eml`
  return `attachment-${index + 1}${EXTENSIONS[part.type] ?? guessExtension(part.type)}`
}

export function attachmentType(part: MimePart): string {
  return /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,80}$/.test(part.type) ? part.type : 'application/octet-stream'
}

/** From HTML to a part of its mail (RFC 2392). */
const REFERENCE = /\bcid:([^"'<>\s()]{1,200})/gi

function describeAttachment(part: MimePart, index: number, embedded: ReadonlySet<string>): AttachmentMeta {
  const content = decodeTransfer(part.body, part.encoding)
  const contentId = cleanLine(rawField(part.fields, 'content-id') ?? '').replace(/^<|>$/g, '')
  return {
    index,
    filename: attachmentName(part, index),
    contentType: attachmentType(part),
    size: content.length,
    inline: part.disposition.value === 'inline' || (part.disposition.value === '' && contentId !== ''),
    ...(contentId && { contentId: cut(contentId, MAX_FILENAME_CHARS) }),
    ...(part.type.startsWith('image/') && embedded.has(contentId.toLowerCase()) && { embedded: true as const }),
    sha256: hashOf(content),
    ...(beginsLikeCalendar(content) && { calendar: true }),
  }
}

/** Other renderings of the same text, such as AMP or rich text. */
function isAlternativeMarkup(part: MimePart): boolean {
  return part.parent?.type === 'multipart/alternative' && part.type.startsWith('text/') && part.type !== 'text/calendar'
}

function safeName(text: string): string {
  const name = cleanLine(text)
    .replace(/[/\\:*?"<>|]/g, '_')
    .replace(/^[.\s]+/, '')
  const extension = /\.[\p{L}\p{N}]{1,10}$/u.exec(name)?.[0] ?? ''
  return name.length <= MAX_FILENAME_CHARS ? name : cut(name, MAX_FILENAME_CHARS - extension.length) + extension
}

function guessExtension(type: string): string {
  const [kind, subtype = ''] = type.split('/')
  return (kind === 'image' || kind === 'audio' || kind === 'video') && /^[a-z\d]{2,5}$/.test(subtype)
    ? `.${subtype}`
    : ''
}

export type AttachmentContent = { filename: string; contentType: string; content: Uint8Array }

export function readAttachment(raw: Uint8Array, { index, sha256 }: AttachmentKey): AttachmentContent | undefined {
  const { root } = readMimeTree(raw)
  const parts = attachmentParts(root)
  const part = [parts[index], ...parts, ...allParts(root)].find(
    (candidate) => candidate !== undefined && isFile(candidate, sha256),
  )
  return part && readContent(part, Math.max(0, parts.indexOf(part)))
}

function isFile(part: MimePart, sha256: string): boolean {
  return hashOf(decodeTransfer(part.body, part.encoding)) === sha256
}

/** `AttachmentMeta.sha256`: in hex. */
export function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Also those that are not listed as files. */
function allParts(part: MimePart): MimePart[] {
  const all = [part]
  for (const one of all) all.push(...one.children)
  return all.filter((one) => !isMultipart(one))
}

export function readAttachments(raw: Uint8Array): AttachmentContent[] {
  return attachmentParts(readMimeTree(raw).root).map(readContent)
}

/** An unencoded body is copied, or moving it between threads would move the whole mail. */
function readContent(part: MimePart, index: number): AttachmentContent {
  const content = decodeTransfer(part.body, part.encoding)
  return {
    filename: attachmentName(part, index),
    contentType: attachmentType(part),
    content: content === part.body ? new Uint8Array(content) : content,
  }
}
