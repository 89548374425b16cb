import { isAscii, isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { oddDecoder } from './odd-charsets.ts'

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

/** Names of families of charsets without hyphens, spaces and other signs, and how the Encoding Standard writes them. */
const FAMILIES: [RegExp, string][] = [
  [/^(?:x|cs)?(?:windows|window|win|cp|ms|microsoft)(?:cp)?(125[0-8]|874)$/, 'windows-$1'],
  [/^(?:x|cs)?iso8859(\d{1,2}?)(?:(?:19|20)\d\d)?(?:windowslatin\d)?$/, 'iso-8859-$1'],
  [/^(?:x|cs)?(?:iso)?8859(\d{1,2})$/, 'iso-8859-$1'],
  [/^(?:x|cs)?(?:iso)?latin([1-6])$/, 'latin$1'],
  [/^(?:x|cs)?(?:unicode(?:11|20)?)?utf8(?:mb\d|bom|sig)?$/, 'utf-8'],
  [/^(?:x|cs)?koi8?([ru])u?$/, 'koi8-$1'],
  [/^(?:x|cs)?gb(?:2312|231280|k|18030)(?:80)?$/, 'gb18030'],
  [/^(?:x|cs)?big5(?:hkscs|eten)?$/, 'big5'],
  [/^(?:x|cs)?(?:ms)?(?:shiftjis|sjis|kanji|windows31j)$/, 'shift_jis'],
  [/^(?:x|cs)?iso2022jp(?:\d|ms|ext)?$/, 'iso-2022-jp'],
  [/^(?:x|cs)?euc(jp|kr)$/, 'euc-$1'],
  [/^(?:x|cs)?(?:ksc?5601|uhc|ksc56011987|windows949)(?:1987)?$/, 'euc-kr'],
  [/^(?:x|cs)?mac(?:intosh|roman)?$/, 'macintosh'],
  [/^(?:x|cs)?(?:ibm|cp|dos|oem)?866$/, 'ibm866'],
]

/** The charset that a Windows code page names, as a label. */
export function codepageLabel(page: number): string {
  if (page > 28590 && page < 28606) return `iso-8859-${page - 28590}`
  return CODE_PAGES[page] ?? `cp${page}`
}

const CODE_PAGES: Record<number, string> = {
  20127: 'us-ascii',
  20866: 'koi8-r',
  21866: 'koi8-u',
  20932: 'euc-jp',
  51932: 'euc-jp',
  51949: 'euc-kr',
  51936: 'gbk',
  54936: 'gb18030',
  10000: 'macintosh',
  65000: 'utf-7',
  1200: 'utf-16le',
}

/** The charset that an HTML document names for itself, in either form of `<meta>` or as XML does; undefined without one. */
export function charsetOfHtml(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, MAX_META_BYTES)
  const [, meta, xml] = META.exec(start) ?? []
  return meta ?? xml
}

const MAX_META_BYTES = 4096
const META =
  /<meta\s[^>]{0,300}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:+-]{1,60})|<\?xml\s[^>]{0,100}?encoding\s{0,9}=\s{0,9}["']([\w.:+-]{1,60})/i

/** Valid UTF-8 is UTF-8, then the label counts, then Windows-1252, which decodes anything. */
export function decodeCharset(bytes: Buffer, label: string | undefined): string {
  const odd = label === undefined ? undefined : oddCharset(label)
  if (odd !== undefined && (isAscii(bytes) || !isUtf8(bytes))) return odd(bytes)
  const encoding = labelledEncoding(bytes, label)
  if (encoding !== undefined && isWithoutUtf8(bytes, encoding)) return decoder(encoding)?.decode(bytes) ?? ''
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (isUtf8(bytes) && !isShortDoubleByteText(bytes, encoding)) return withoutMark(bytes.toString('utf8'))
  if (encoding && encoding !== 'utf-8') return decoder(encoding)?.decode(bytes) ?? ''
  return decodeBroken(bytes, encoding)
}

/** Whether its bytes can also be ASCII or UTF-8 without meaning that. */
function isWithoutUtf8(bytes: Buffer, encoding: string): boolean {
  if (encoding === 'iso-2022-jp') return isAscii(bytes)
  return encoding.startsWith('utf-16') && (bytes.includes(0) || !isUtf8(bytes))
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
  const encoding = name === '' ? undefined : decoder(name)?.encoding
  // Old Japanese mail often has no label. Only ISO-2022-JP switches character sets with ESC $.
  const unlabelled = !encoding || encoding === 'utf-8' || name === 'us-ascii'
  return unlabelled && bytes.includes('\x1b$') ? 'iso-2022-jp' : encoding
}

const MAX_LABEL_CHARS = 60
const odd = new Map<string, ReturnType<typeof oddDecoder>>()

function oddCharset(label: string) {
  if (!odd.has(label)) {
    if (odd.size >= MAX_LABELS) odd.clear()
    odd.set(label, oddDecoder(squash(label)))
  }
  return odd.get(label)
}

/** Programs write `iso8859_1`, `"utf-8;"` and `charset=cp-1251`. */
function squash(label: string): string {
  const [name = ''] = label
    .slice(label.indexOf('=') + 1)
    .slice(0, MAX_LABEL_CHARS)
    .toLowerCase()
    .split(/[;,$]/)
  return name.replace(/[^a-z\d]/g, '')
}

function familyOf(squashed: string): string {
  for (const [pattern, name] of FAMILIES) if (pattern.test(squashed)) return squashed.replace(pattern, name)
  return squashed
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
    decoders.set(label, createDecoder(ALIASES[label] ?? label) ?? createDecoder(familyOf(squash(label))))
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
