import type { MimePart } from './mime-part.ts'

/** A line between the parts of a multipart, or after its last one (RFC 2046 5.1.1). */
export type Delimiter = { multipart: MimePart; closing: boolean; start: number; next: number }

const MAX_BOUNDARY_LINE = 256

/** The delimiter that starts at this offset. Undefined for other lines, and for those of closed multiparts. */
export function delimiterAt(
  bytes: Buffer,
  start: number,
  byBoundary: ReadonlyMap<string, MimePart>,
): Delimiter | undefined {
  if (byBoundary.size === 0 || !startsWithDashes(bytes, start)) return undefined
  const newline = bytes.subarray(start, start + MAX_BOUNDARY_LINE).indexOf(0x0a)
  const next = newline < 0 ? Math.min(bytes.length, start + MAX_BOUNDARY_LINE) : start + newline + 1
  const line = bytes.toString('latin1', start + 2, next).trimEnd()
  const opened = byBoundary.get(line)
  if (opened) return { multipart: opened, closing: false, start, next }
  const closed = line.endsWith('--') ? byBoundary.get(line.slice(0, -2)) : undefined
  return closed && { multipart: closed, closing: true, start, next }
}

export function startsWithDashes(bytes: Buffer, offset: number): boolean {
  return bytes[offset] === 0x2d && bytes[offset + 1] === 0x2d
}

/** The end of the part before a delimiter: the line break there belongs to the delimiter. */
export function beforeLineBreak(bytes: Buffer, offset: number): number {
  if (offset === bytes.length || bytes[offset - 1] !== 0x0a) return offset
  return bytes[offset - 2] === 0x0d ? offset - 2 : offset - 1
}
