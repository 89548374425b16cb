import { type HeaderField, rawField } from './header-fields.ts'
import { parseStructuredField, type StructuredField } from './header-parameters.ts'
import { isKnownEncoding } from './transfer-encoding.ts'

/** One MIME entity: the mail itself, a part of a multipart, or a nested message. */
export type MimePart = {
  fields: HeaderField[]
  /** Lower-case media type, such as `text/plain`. */
  type: string
  /** Parameters of Content-Type. */
  parameters: Map<string, string>
  disposition: StructuredField
  /** Lower-case transfer encoding, empty when none is named; of a leaf one that exists, once its body is known. */
  encoding: string
  /** Body as it came, transfer encoding still applied. */
  body: Buffer
  /** Parts of a multipart, or the one message inside a message/rfc822. */
  children: MimePart[]
  parent?: MimePart
}

/** Builds a part from its header; the body is filled in once its end is known. */
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

/** The first word, as comments and more follow it; all of the words when that is no encoding. */
function readEncoding(value: string): string {
  const first = /[\w-]+/.exec(value)?.[0] ?? ''
  return isKnownEncoding(first) ? first : value.trim().slice(0, MAX_ENCODING_CHARS)
}

const MAX_ENCODING_CHARS = 100

export function isMultipart(part: MimePart): boolean {
  return part.type.startsWith('multipart/')
}

export function isMessage(part: MimePart): boolean {
  return part.type === 'message/rfc822' || part.type === 'message/global'
}

/** All parts without children, in the order of the mail. */
export function leaves(part: MimePart): MimePart[] {
  const found: MimePart[] = []
  const pending = [part]
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.children.length === 0) found.push(next)
    pending.push(...next.children.toReversed())
  }
  return found
}

/** RFC 2046 5.1.5: parts of a digest are messages unless they say otherwise; everything else is plain text. */
function defaultType(parent: MimePart | undefined): string {
  return parent?.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
}
