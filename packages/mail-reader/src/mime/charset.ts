import { isAscii, isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'

/** Labels seen in mail but missing from the Encoding Standard. */
const ALIASES: Record<string, string> = {
  ansi: 'windows-1252',
  'latin-1': 'windows-1252',
  cp65001: 'utf-8',
  utf8mb4: 'utf-8',
  cp932: 'shift_jis',
  'windows-932': 'shift_jis',
  cp936: 'gbk',
  'windows-936': 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  'iso-2022-jp-1': 'iso-2022-jp',
  'iso-2022-jp-2': 'iso-2022-jp',
  cp50220: 'iso-2022-jp',
  cp50221: 'iso-2022-jp',
}

const decoders = new Map<string, TextDecoder | undefined>()
const MAX_LABELS = 200

/** Valid UTF-8 is UTF-8, then the label counts, then Windows-1252, which decodes anything. */
export function decodeCharset(bytes: Buffer, label: string | undefined): string {
  const encoding = labelledEncoding(bytes, label)
  if (encoding === 'iso-2022-jp' && isAscii(bytes)) return decoder(encoding)?.decode(bytes) ?? ''
  if (encoding?.startsWith('utf-16') && (bytes.includes(0) || !isUtf8(bytes)))
    return decoder(encoding)?.decode(bytes) ?? ''
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (isUtf8(bytes) && !isShortDoubleByteText(bytes, encoding)) return withoutMark(bytes.toString('utf8'))
  if (encoding && encoding !== 'utf-8') return decoder(encoding)?.decode(bytes) ?? ''
  return decodeBroken(bytes, encoding)
}

/** A few characters of GBK, Big5 or EUC can be valid UTF-8 by accident, so the label wins. */
function isShortDoubleByteText(bytes: Buffer, encoding = ''): boolean {
  return /^(gb|big5|euc|shift)/.test(encoding) && bytes.filter((byte) => byte > 0x7f).length <= 12
}

export function cutBytes(bytes: Buffer, max: number): Buffer {
  if (bytes.length <= max) return bytes
  let end = max
  while (end > max - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, end)
}

function labelledEncoding(bytes: Buffer, label = ''): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const name = label.trim().toLowerCase()
  const encoding = decoder(ALIASES[name] ?? name)?.encoding
  // Old Japanese mail often has no label. Only ISO-2022-JP switches character sets with ESC $.
  const unlabelled = !encoding || encoding === 'utf-8' || name === 'us-ascii'
  return unlabelled && bytes.includes('\x1b$') ? 'iso-2022-jp' : encoding
}

/** Shows isolated damage in UTF-8 as replacement characters; otherwise falls back to Windows-1252. */
function decodeBroken(bytes: Buffer, encoding: string | undefined): string {
  const damaged = bytes.toString('utf8')
  const bad = damaged.split('\ufffd').length - 1
  // biome-ignore lint/suspicious/noControlCharactersInRegex: counts what decoded well beyond ASCII
  const good = damaged.replace(/[\x00-\x7f\ufffd]/g, '').length
  if (encoding === 'utf-8' && good > bad * 4) return withoutMark(damaged)
  return decoder('windows-1252')?.decode(bytes) ?? damaged
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

function decoder(label: string): TextDecoder | undefined {
  if (!decoders.has(label)) {
    if (decoders.size >= MAX_LABELS) decoders.clear()
    decoders.set(label, createDecoder(label))
  }
  return decoders.get(label)
}

function createDecoder(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label)
  } catch {
    return undefined // unknown label
  }
}
