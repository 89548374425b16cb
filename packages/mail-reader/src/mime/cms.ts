import { inflateSync } from 'node:zlib'

export type Cms = { kind: 'signed'; content: Buffer } | { kind: 'encrypted' }

const SEQUENCE = 0x30
const OBJECT_ID = 0x06
const OCTETS = 0x04
const OCTETS_IN_PIECES = 0x24
const CONTEXT_0 = 0xa0
const INDEFINITE = -1

/** Object identifiers of content types in hex (RFC 5652 section 14, RFC 5083, RFC 3274). */
const SIGNED = '2a864886f70d010702'
const COMPRESSED = '2a864886f70d0109100109'
const ENCRYPTED = ['2a864886f70d010703', '2a864886f70d010704', '2a864886f70d010706', '2a864886f70d0109100117']
const MAX_INFLATED_BYTES = 8 * 1024 * 1024

/**
 * Finds what a cryptographic message (RFC 5652) holds: signed or compressed content, or that it is encrypted. Verifies nothing.
 * Undefined for other bytes, and for a signature without content. Takes linear time and copies no certificates.
 */
export function readCms(bytes: Buffer): Cms | undefined {
  const [type, wrapped] = childrenOf(bytes, elementAt(bytes, 0, bytes.length, SEQUENCE), 2)
  if (type?.tag !== OBJECT_ID) return undefined
  const name = contentOf(bytes, type).toString('hex')
  if (ENCRYPTED.includes(name)) return { kind: 'encrypted' }
  if (name !== SIGNED && name !== COMPRESSED) return undefined
  const [body] = childrenOf(bytes, wrapped, 1)
  const [, , encapsulated] = childrenOf(bytes, body, 3)
  const [, explicit] = childrenOf(bytes, encapsulated, 2)
  const [octets] = childrenOf(bytes, explicit?.tag === CONTEXT_0 ? explicit : undefined, 1)
  const content = octets && octetsOf(bytes, octets)
  if (content === undefined || content.length === 0) return undefined
  const read = name === SIGNED ? content : inflate(content)
  return read && { kind: 'signed', content: read }
}

function inflate(content: Buffer): Buffer | undefined {
  try {
    return inflateSync(content, { maxOutputLength: MAX_INFLATED_BYTES })
  } catch {
    return undefined // damaged, or too large
  }
}

/** `end` is where the element around it ends if its own length is indefinite (X.690 section 8.1.3.6). */
type Element = { tag: number; start: number; end: number; length: number }

/** A length beyond the end is cut: a mail may have been. */
function elementAt(bytes: Buffer, at: number, end: number, tag?: number): Element | undefined {
  const found = bytes[at]
  if (at + 2 > end || found === undefined || (tag !== undefined && found !== tag)) return undefined
  const first = bytes[at + 1] ?? 0
  if (first < 0x80) return bounded(found, at + 2, first, end)
  if (first === 0x80) return { tag: found, start: at + 2, end, length: INDEFINITE }
  const count = first & 0x7f
  if (count > 4 || at + 2 + count > end) return undefined
  return bounded(found, at + 2 + count, bytes.readUIntBE(at + 2, count), end)
}

function bounded(tag: number, start: number, length: number, end: number): Element {
  return { tag, start, end: Math.min(end, start + length), length }
}

function childrenOf(bytes: Buffer, element: Element | undefined, most: number): Element[] {
  const children: Element[] = []
  for (let at = element?.start ?? 0; element && children.length < most; ) {
    const child = elementAt(bytes, at, element.end)
    if (child === undefined || isEnd(bytes, at)) break
    children.push(child)
    at = children.length < most ? afterElement(bytes, child) : element.end
  }
  return children
}

function afterElement(bytes: Buffer, element: Element): number {
  if (element.length !== INDEFINITE) return element.end
  let at = element.start
  for (let depth = 1; depth > 0 && at < element.end; ) {
    const child = elementAt(bytes, at, element.end)
    if (child === undefined) return element.end
    if (isEnd(bytes, at)) depth -= 1
    else if (child.length === INDEFINITE) depth += 1
    at = child.length === INDEFINITE ? child.start : child.end
  }
  return at
}

function isEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0 && bytes[at + 1] === 0
}

/** Streams are written in many pieces, which may have pieces themselves. */
function octetsOf(bytes: Buffer, element: Element): Buffer | undefined {
  if (element.tag === OCTETS && element.length !== INDEFINITE) return contentOf(bytes, element)
  if (element.tag !== OCTETS_IN_PIECES) return undefined
  const end = afterElement(bytes, element)
  const pieces: Buffer[] = []
  for (let at = element.start; at < end; ) {
    const piece = elementAt(bytes, at, end)
    if (piece === undefined) break
    if (piece.tag === OCTETS) pieces.push(contentOf(bytes, piece))
    at = piece.tag === OCTETS_IN_PIECES ? piece.start : afterElement(bytes, piece)
  }
  return Buffer.concat(pieces)
}

function contentOf(bytes: Buffer, { start, end }: Element): Buffer {
  return bytes.subarray(start, end)
}
