import { cutBytes } from './charset.ts'
import { readCms } from './cms.ts'
import { findFilesInText } from './encoded-files.ts'
import { MAX_ATTACHMENTS, MAX_TEXT_PART_BYTES } from './limits.ts'
import { isBodyText, type MimePart, makePart } from './mime-part.ts'
import { readTnef } from './tnef.ts'
import { decodeTransfer } from './transfer-encoding.ts'

/** The content of a part that is neither a multipart nor a message. */
export type OpenedPart =
  | { kind: 'message'; message: Buffer }
  | { kind: 'parts'; parts: MimePart[]; truncated: boolean }
  | { kind: 'encrypted' }

const CMS_TYPE = /^application\/(?:x-)?pkcs7-mime$/
const TNEF_TYPE = /^application\/(?:vnd\.)?ms-tnef$/
const BINARY_TYPE = /^application\/(?:octet-stream|binary|force-download|download|unknown)$/
const NAMED_CMS = /\.p7[mz]$/i
const NAMED_TNEF = /^(?:winmail|att\d*)\.dat$/i
/** A signed file, such as `invoice.pdf.p7m` (ETSI EN 319 122). */
const NAMED_FILE = /^(.{1,200}\.\w{1,8})\.p7m$/i
const FIELD_LINE = /^[\w-]{1,76}:/
const TYPES: Record<string, string> = { pdf: 'application/pdf', xml: 'application/xml', txt: 'text/plain' }

/** Opens S/MIME (RFC 8551), winmail.dat (MS-OXTNEF) and files inside of a text. Undefined for nearly all parts. */
export function openPart(part: MimePart): OpenedPart | undefined {
  if (part.type === 'text/plain') return isBodyText(part) ? openText(part) : undefined
  if (!part.type.startsWith('application/')) return undefined
  const name = part.disposition.parameters.get('filename') ?? part.parameters.get('name') ?? ''
  const isBinary = BINARY_TYPE.test(part.type)
  if (CMS_TYPE.test(part.type) || (isBinary && NAMED_CMS.test(name))) return openCms(part, name)
  return TNEF_TYPE.test(part.type) || (isBinary && NAMED_TNEF.test(name)) ? openTnef(part) : undefined
}

function openCms(part: MimePart, name: string): OpenedPart | undefined {
  const bytes = decodeTransfer(part.body, part.encoding)
  // Its encoding may be missing.
  const cms = readCms(bytes) ?? readCms(Buffer.from(bytes.toString('latin1'), 'base64'))
  if (cms?.kind !== 'signed') return cms
  const filename = NAMED_FILE.exec(name)?.[1]
  const isEntity = FIELD_LINE.test(cms.content.toString('latin1', 0, 80).trimStart())
  if (isEntity && filename === undefined) return { kind: 'message', message: cms.content }
  const file = filePart(filename ?? 'signed-file', '', cms.content, part)
  return { kind: 'parts', parts: [file], truncated: false }
}

function openTnef(part: MimePart): OpenedPart | undefined {
  const tnef = readTnef(decodeTransfer(part.body, part.encoding), MAX_ATTACHMENTS)
  if (tnef === undefined) return undefined
  const { text, files } = tnef
  const parts = files.map(({ filename, type, content, contentId }) => {
    const file = filePart(filename, type, content, part)
    if (contentId !== '') file.fields.push({ name: 'content-id', value: contentId })
    return file
  })
  if (text && text.text.trim() !== '') parts.unshift(textPart(`text/${text.kind}`, text.text, part))
  return parts.length === 0 ? undefined : { kind: 'parts', parts, truncated: tnef.truncated }
}

/** Files that are encoded in base64 are not looked for. */
function openText(part: MimePart): OpenedPart | undefined {
  if (part.encoding === 'base64' || !part.body.includes('begin')) return undefined
  const decoded = decodeTransfer(part.body, part.encoding)
  const found = findFilesInText(decoded.toString('latin1'))
  if (found === undefined) return undefined
  const text = makePart(part.type, part.parameters, part)
  text.body = cutBytes(Buffer.from(found.text, 'latin1'), MAX_TEXT_PART_BYTES)
  const files = found.files.map(({ filename, content }) => filePart(filename, '', content, part))
  return { kind: 'parts', parts: [text, ...files], truncated: false }
}

function textPart(type: string, text: string, parent: MimePart): MimePart {
  const part = makePart(type, new Map([['charset', 'utf-8']]), parent)
  part.body = Buffer.from(text)
  return part
}

function filePart(filename: string, type: string, content: Buffer, parent: MimePart): MimePart {
  const extension = /\.(\w{1,8})$/.exec(filename)?.[1]?.toLowerCase() ?? ''
  const part = makePart(type || (TYPES[extension] ?? 'application/octet-stream'), new Map(), parent)
  part.disposition = { value: 'attachment', parameters: new Map(filename === '' ? [] : [['filename', filename]]) }
  part.body = content
  return part
}
