const EQUALS = 0x3d
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const TAB = 0x09

const KNOWN = ['', '7bit', '8bit', 'binary', 'base64', 'quoted-printable']
const SAMPLE_BYTES = 16 * 1024
const LEAST_BASE64 = 16
const MAX_UNITS = 100_000

/** Decodes base64 and quoted-printable (RFC 2045 6); returns other bodies unchanged. Damaged input never throws. */
export function decodeTransfer(body: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return decodeBase64(body)
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(body)
  return body
}

/** False for obsolete encodings: such a part is always an attachment. */
export function isReadableEncoding(encoding: string): boolean {
  return !/^(?:x-)?(?:uu|yenc|binhex)/.test(encoding)
}

/** Guesses the encoding from the body when the header names an unknown one, such as `7-bit`. */
export function guessEncoding(named: string, body: Buffer): string {
  const sample = body.toString('latin1', 0, SAMPLE_BYTES)
  if (isBase64(sample)) return 'base64'
  return isQuotedPrintable(sample, /quoted|printable/.test(named)) ? 'quoted-printable' : ''
}

/** Whether a text that is labeled base64 is written out: it has punctuation or spaces between words. */
export function isNoBase64(body: Buffer): boolean {
  const sample = body.toString('latin1', 0, LABELED_BYTES).trim()
  const others = sample.match(/[^A-Za-z\d+/=\s]|[^\s] (?=[^\s])/g)?.length ?? 0
  return others * MIN_SHARE > sample.length
}

const LABELED_BYTES = 1024
/** Damage is rarer than one character in so many. */
const MIN_SHARE = 15

export function isKnownEncoding(encoding: string): boolean {
  return KNOWN.includes(encoding) || !isReadableEncoding(encoding)
}

/** Lines of equal length in the base64 alphabet; a single-case word does not count. */
function isBase64(sample: string): boolean {
  const lines = sample.trim().split(/\r?\n/)
  if (sample.length >= SAMPLE_BYTES) lines.pop()
  const [first = ''] = lines
  const last = lines.at(-1) ?? ''
  if (first.length < LEAST_BASE64 || first.length % 4 !== 0 || last.length % 4 !== 0) return false
  if (!/[a-z]/.test(first) || !/[A-Z]/.test(first) || last.length > first.length) return false
  return lines.every(
    (line, index) =>
      /^[A-Za-z0-9+/]+={0,2}$/.test(line) && (line.length === first.length || index === lines.length - 1),
  )
}

/** Every `=` must be an escape, and at least one must not occur in URLs: a soft break, `=3D`, `=20` or non-ASCII. */
function isQuotedPrintable(sample: string, isNamed: boolean): boolean {
  const signs = sample.match(/=.{0,2}/gs) ?? []
  const whole = signs.slice(0, -1) // the sample may end within the last one
  if (signs.length === 0 || /[\x80-\xff]/.test(sample)) return false
  if (!whole.every((sign) => /^=(?:[\dA-F]{2}|\r\n|\n.?|\s+)$/is.test(sign))) return false
  return isNamed || signs.some((sign) => /^=(?:3D|20|[89A-F][\dA-F]|\r?\n)/.test(sign))
}

function decodeBase64(body: Buffer): Buffer {
  const text = body.toString('latin1')
  const padding = text.indexOf('=')
  if (padding < 0 || text.slice(padding).search(/[^=\s]/) < 0) return Buffer.from(text, 'base64')
  // Padding in the middle ends a separately encoded unit; Node would stop reading there.
  const units = text.split(/=+/, MAX_UNITS)
  return Buffer.concat(units.map((unit) => Buffer.from(unit, 'base64')))
}

function decodeQuotedPrintable(body: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(body.length)
  let length = 0
  for (let start = 0; start < body.length; ) {
    const newline = body.indexOf(LF, start)
    const next = newline < 0 ? body.length : newline + 1
    const end = trimmedEnd(body, start, next)
    const isSoft = end > start && body[end - 1] === EQUALS
    length = decodeLine(body, [start, isSoft ? end - 1 : end], decoded, length)
    if (!isSoft && newline >= 0) {
      if (body[newline - 1] === CR) decoded[length++] = CR
      decoded[length++] = LF
    }
    start = next
  }
  return decoded.subarray(0, length)
}

/** Spaces before a line break were added in transport (RFC 2045 6.7 rule 3). */
function trimmedEnd(body: Buffer, start: number, next: number): number {
  let end = next
  while (end > start && isBlank(body[end - 1] ?? 0)) end -= 1
  return end
}

function isBlank(byte: number): boolean {
  return byte === LF || byte === CR || byte === SPACE || byte === TAB
}

/** Works by offset: a view for each line would cost most of the time. @returns the decoded length so far */
function decodeLine(body: Buffer, [start, end]: [number, number], decoded: Buffer, at: number): number {
  let length = at
  for (let position = start; position < end; position += 1) {
    const byte = body[position] ?? 0
    const escaped = byte === EQUALS && position + 2 < end ? hexByte(body, position) : -1
    decoded[length++] = escaped < 0 ? byte : escaped
    if (escaped >= 0) position += 2
  }
  return length
}

function hexByte(body: Buffer, offset: number): number {
  const high = hexDigit(body[offset + 1])
  const low = hexDigit(body[offset + 2])
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
