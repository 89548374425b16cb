import { rawField, readHeaderFields } from './header-fields.ts'
import { decodeTransfer } from './transfer-encoding.ts'

const RELAYED_ENCODINGS = ['base64', 'quoted-printable']
/** Relays encode letters. Files are encoded from the start. */
const MAX_RELAYED_BYTES = 1024 * 1024
const LINE_ENDS = [10, 13]

/**
 * The bytes of a mail's body as every relay passes them on: without line ends after it (RFC 6376 3.4.3), and decoded if the whole
 * body is one encoded text of at most 1 MB. Two bodies that differ in more stay different, readable or not.
 */
export function comparableBody(raw: Uint8Array): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const { fields, bodyStart } = readHeaderFields(bytes, 0, () => false)
  const body = withoutLineEnds(bytes.subarray(bodyStart))
  const encoding = rawField(fields, 'content-transfer-encoding')?.trim().toLowerCase() ?? ''
  if (!RELAYED_ENCODINGS.includes(encoding) || body.length > MAX_RELAYED_BYTES) return body
  const decoded = decodeTransfer(body, encoding)
  // A decoder skips what it cannot read, which must not make two letters one.
  return isWhole(body, decoded, encoding) ? withoutLineEnds(decoded) : body
}

function isWhole(encoded: Buffer, decoded: Uint8Array, encoding: string): boolean {
  if (encoding === 'base64')
    return Buffer.from(decoded).toString('base64') === encoded.toString('latin1').replace(/\s/g, '')
  return !/=(?![0-9A-F]{2}|\r?\n|$)/.test(encoded.toString('latin1'))
}

function withoutLineEnds<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  let end = bytes.length
  while (end > 0 && LINE_ENDS.includes(bytes[end - 1] ?? 0)) end -= 1
  return bytes.subarray(0, end) as Bytes
}
