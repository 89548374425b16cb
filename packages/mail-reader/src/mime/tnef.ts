import { codepageLabel, decodeCharset } from './charset.ts'
import { decompressRtf } from './compressed-rtf.ts'
import { readRtf } from './rtf.ts'
import { type Properties, readProperties, TYPE, type Value } from './tnef-properties.ts'

export type TnefFile = { filename: string; type: string; contentId: string; content: Buffer }

export type Tnef = {
  text?: { kind: 'plain' | 'html'; text: string }
  files: TnefFile[]
  /** Whether more than the limits allow was left out. */
  truncated: boolean
}

const SIGNATURE = 0x223e9f78
const MAX_ATTRIBUTES = 10_000
const MAX_BODY_BYTES = 4 * 1024 * 1024

/** Attributes without their type (MS-OXTNEF section 2.1.3.4). */
const ATT = {
  body: 0x800c,
  title: 0x8010,
  data: 0x800f,
  startOfAttachment: 0x9002,
  properties: 0x9003,
  attachmentProperties: 0x9005,
  codepage: 0x9007,
}
/** Properties (MS-OXPROPS). */
const PROP = {
  body: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
  codepage: 0x3fde,
  displayName: 0x3001,
  data: 0x3701,
  filename: 0x3704,
  longFilename: 0x3707,
  mimeType: 0x370e,
  contentId: 0x3712,
}
/** IID_IMessage, which comes before the message inside an attachment. */
const MESSAGE = Buffer.from('0703020000000000c000000000000046', 'hex')

/** Reads winmail.dat (MS-OXTNEF). Lengths beyond the end are cut; contents are views of `bytes`. Undefined for other bytes. */
export function readTnef(bytes: Buffer, maxFiles: number): Tnef | undefined {
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== SIGNATURE) return undefined
  const found: Found = { codepage: 1252, files: [], truncated: false }
  let at = 6
  for (let count = 0; at + 9 <= bytes.length; count += 1) {
    if (count >= MAX_ATTRIBUTES || found.files.length > maxFiles) {
      found.truncated = true
      break
    }
    const start = at + 9
    const end = start + bytes.readUInt32LE(at + 5)
    takeAttribute(found, bytes.readUInt16LE(at + 1), bytes.subarray(start, end))
    at = end + 2
  }
  const files = found.files.slice(0, maxFiles).flatMap((file, index) => toFile(file, index))
  return { text: textOf(found), files, truncated: found.truncated }
}

type Draft = { title?: string; data?: Buffer; properties?: Properties }
type Found = {
  codepage: number
  body?: Buffer
  properties?: Properties
  files: Draft[]
  truncated: boolean
}

function takeAttribute(found: Found, id: number, data: Buffer) {
  if (id === ATT.codepage && data.length >= 4) found.codepage = data.readUInt32LE(0)
  if (id === ATT.body) found.body ??= data
  if (id === ATT.properties) found.properties ??= readProperties(data)
  if (id === ATT.startOfAttachment) found.files.push({})
  const file = found.files.at(-1)
  if (file === undefined) return
  if (id === ATT.title) file.title = stringOf({ type: TYPE.string8, bytes: data }, found.codepage)
  if (id === ATT.data) file.data = data
  if (id === ATT.attachmentProperties) file.properties ??= readProperties(data)
}

/** HTML first: where it exists, it is what the sender wrote. */
function textOf({ body, properties, codepage }: Found): Tnef['text'] {
  const html = properties?.get(PROP.html)
  if (html && html.bytes.length > 0) return { kind: 'html', text: htmlOf(html, properties, codepage) }
  const plain = stringOf(properties?.get(PROP.body) ?? (body && { type: TYPE.string8, bytes: body }), codepage)
  if (plain.trim() !== '') return { kind: 'plain', text: plain }
  const rtf = properties?.get(PROP.rtf)
  return rtf && readRtf(decompressRtf(rtf.bytes))
}

function htmlOf(html: Value, properties: Properties | undefined, codepage: number): string {
  if (html.type !== TYPE.binary) return stringOf(html, codepage)
  const page = properties?.get(PROP.codepage)?.bytes
  const label = codepageLabel(page && page.length >= 4 ? page.readUInt32LE(0) : codepage)
  return decodeCharset(html.bytes.subarray(0, MAX_BODY_BYTES), label)
}

function toFile({ title, data, properties }: Draft, index: number): TnefFile[] {
  const text = (name: number) => stringOf(properties?.get(name), 1252).trim()
  const value = properties?.get(PROP.data)
  const isMessage = value?.type === TYPE.object && value.bytes.subarray(0, 16).equals(MESSAGE)
  const inner = isMessage ? value.bytes.subarray(16) : value?.bytes
  const content = isMessage ? inner : (data ?? inner)
  if (content === undefined) return []
  const name = text(PROP.longFilename) || title || text(PROP.filename) || text(PROP.displayName)
  return [
    {
      filename: isMessage ? '' : name || `file-${index + 1}`,
      type: isMessage ? 'application/ms-tnef' : text(PROP.mimeType).toLowerCase(),
      contentId: text(PROP.contentId),
      content,
    },
  ]
}

/** Up to its first zero character. */
function stringOf(value: Value | undefined, codepage: number): string {
  if (value === undefined) return ''
  const bytes = value.bytes.subarray(0, MAX_BODY_BYTES)
  const text =
    value.type === TYPE.unicode ? bytes.toString('utf16le') : decodeCharset(untilZero(bytes), codepageLabel(codepage))
  const end = text.indexOf('\0')
  return end < 0 ? text : text.slice(0, end)
}

function untilZero(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0)
  return end < 0 ? bytes : bytes.subarray(0, end)
}
