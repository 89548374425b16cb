import { type HeaderField, rawField } from './header-fields.ts'
import { parseStructuredField, type StructuredField } from './header-parameters.ts'
import { isKnownEncoding } from './transfer-encoding.ts'

const MAX_ENCODING_CHARS = 100

export type MimePart = {
  fields: HeaderField[]
  type: string
  parameters: Map<string, string>
  disposition: StructuredField
  /** Lower-case transfer encoding; empty if none. On a parsed leaf it is always a known one. */
  encoding: string
  /** Still transfer-encoded. */
  body: Buffer
  /** Parts of a multipart, or the message inside a message/rfc822. */
  children: MimePart[]
  parent?: MimePart
}

/** Builds a part from its header; the body is set when its end is known. */
export function createPart(fields: HeaderField[], parent: MimePart | undefined): MimePart {
  const contentType = parseStructuredField(rawField(fields, 'content-type') ?? '')
  return {
    fields,
    type: contentType.value.includes('/') ? contentType.value : defaultType(parent),
    parameters: contentType.parameters,
    disposition: parseStructuredField(rawField(fields, 'content-disposition') ?? ''),
    encoding: readEncoding(rawField(fields, 'content-transfer-encoding')?.toLowerCase() ?? ''),
    body: Buffer.alloc(0),
    children: [],
    parent,
  }
}

/** The first word, since comments may follow; the whole value if that is not a known encoding. */
function readEncoding(value: string): string {
  const first = /[\w-]+/.exec(value)?.[0] ?? ''
  return isKnownEncoding(first) ? first : value.trim().slice(0, MAX_ENCODING_CHARS)
}

export function isMultipart(part: MimePart): boolean {
  return part.type.startsWith('multipart/')
}

export function isMessage(part: MimePart): boolean {
  return part.type === 'message/rfc822' || part.type === 'message/global'
}

/** All parts without children, in mail order. */
export function leaves(part: MimePart): MimePart[] {
  const found: MimePart[] = []
  const pending = [part]
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.children.length === 0) found.push(next)
    pending.push(...next.children.toReversed())
  }
  return found
}

/** RFC 2046 5.1.5: parts of a digest default to messages, all others to plain text. */
function defaultType(parent: MimePart | undefined): string {
  return parent?.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
}
