import { beforeLineBreak, type Delimiter, delimiterAt, startsWithDashes } from './delimiter.ts'
import { findBoundary } from './find-boundary.ts'
import { readHeaderFields } from './header-fields.ts'
import { MAX_BOUNDARY_CANDIDATES, MAX_ENCODED_MESSAGE_DEPTH, MAX_PARTS } from './limits.ts'
import { createPart, encodingByLook, isBlank, isEncoded, isMessage, isMultipart, type MimePart } from './mime-part.ts'
import { chooseText } from './only-text.ts'
import { openPart } from './open-part.ts'
import { hasLostPart, rescueText } from './rescue-text.ts'
import { decodeTransfer, isKnownEncoding, isNoBase64 } from './transfer-encoding.ts'

export type MimeTree = { root: MimePart; truncated: boolean }

type Budget = { parts: number; candidates: number; encodedDepth: number; truncated: boolean }
type OpenPart = { part: MimePart; bodyStart: number; firstStray?: number; boundary?: string; shadowed?: MimePart }

/** Splits a mail into MIME entities (RFC 2046) in one linear pass. Never throws on broken structure. */
export function readMimeTree(raw: Uint8Array): MimeTree {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const budget = { parts: MAX_PARTS, candidates: MAX_BOUNDARY_CANDIDATES, encodedDepth: 0, truncated: false }
  const root = new TreeReader(bytes, budget).read()
  if ((!chooseText(root) || hasLostPart(root)) && budget.parts > 0) {
    const readEntity = (entity: Buffer) => new TreeReader(entity, budget).read()
    const readParts = (part: MimePart, body: Buffer, boundary: string) =>
      new TreeReader(body, budget).readParts(part, boundary)
    rescueText(root, bytes, { readEntity, readParts, chooseText })
  }
  return { root, truncated: budget.truncated }
}

class TreeReader {
  readonly #bytes: Buffer
  readonly #budget: Budget
  readonly #path: OpenPart[] = []
  readonly #byBoundary = new Map<string, MimePart>()

  constructor(bytes: Buffer, budget: Budget) {
    this.#bytes = bytes
    this.#budget = budget
  }

  read(): MimePart {
    const root = this.#openPart(0, undefined)
    this.#readFrom(this.#openNestedMessages(root))
    return root.part
  }

  /** The parts of a multipart by another boundary than its own, in its body. */
  readParts(multipart: MimePart, boundary: string) {
    const { body } = multipart
    this.#byBoundary.set(boundary, multipart)
    this.#path.push({ part: multipart, bodyStart: 0, boundary })
    this.#readFrom(0)
    multipart.body = body
  }

  #readFrom(start: number) {
    let position = start
    for (;;) {
      const delimiter = this.#nextDelimiter(position)
      if (!delimiter) break
      this.#closeInside(delimiter.multipart, delimiter.start)
      position = delimiter.next
      if (delimiter.closing) this.#end(delimiter)
      else if (!this.#mayAddPart())
        break // open multiparts get no body, or it would show as source text
      else position = this.#openNestedMessages(this.#openPart(delimiter.next, delimiter.multipart))
    }
    while (this.#path.length > 0) this.#closeLast(this.#budget.truncated ? 0 : this.#bytes.length)
  }

  /** An end before any part is a mistake: what follows may be the letter. */
  #end({ multipart, start, next }: Delimiter) {
    if (multipart.children.length > 0 || !this.#hasMore(multipart, next)) this.#closeLast(start)
  }

  #hasMore(multipart: MimePart, from: number): boolean {
    const following = this.#nextDelimiter(from)
    return following?.multipart === multipart || !isBlank(this.#bytes.subarray(from, following?.start))
  }

  #openPart(start: number, parent: MimePart | undefined): OpenPart {
    this.#budget.parts -= 1
    const header = readHeaderFields(
      this.#bytes,
      start,
      (offset) => delimiterAt(this.#bytes, offset, this.#byBoundary) !== undefined,
    )
    const part = createPart(header.fields, parent)
    parent?.children.push(part)
    const boundary = isMultipart(part) ? part.parameters.get('boundary') : undefined
    const open: OpenPart = {
      part,
      bodyStart: header.bodyStart,
      firstStray: header.firstStray,
      boundary,
      shadowed: this.#byBoundary.get(boundary ?? ''),
    }
    if (boundary) this.#byBoundary.set(boundary, part)
    this.#path.push(open)
    return open
  }

  #openNestedMessages(outermost: OpenPart): number {
    let open = outermost
    while (isMessage(open.part) && !isEncoded(open.part) && this.#mayAddPart())
      open = this.#openPart(open.bodyStart, open.part)
    return open.bodyStart
  }

  #closeInside(multipart: MimePart, end: number) {
    while (this.#path.length > 0 && this.#path.at(-1)?.part !== multipart) this.#closeLast(end)
  }

  #closeLast(delimiterStart: number) {
    const closed = this.#path.pop()
    if (!closed) return
    const end = Math.max(closed.bodyStart, beforeLineBreak(this.#bytes, delimiterStart))
    const body = this.#bytes.subarray(closed.bodyStart, end)
    // A letter with a field below it is its header, by the letter of the rule.
    const { firstStray } = closed
    closed.part.body = firstStray !== undefined && isBlank(body) ? this.#bytes.subarray(firstStray, end) : body
    if (!isKnownEncoding(closed.part.encoding)) closed.part.encoding = encodingByLook(closed.part)
    if (closed.part.encoding === 'base64' && closed.part.type.startsWith('text/') && isNoBase64(closed.part.body))
      closed.part.encoding = ''
    this.#openClosed(closed.part)
    if (!closed.boundary) return
    this.#byBoundary.delete(closed.boundary)
    if (closed.shadowed) this.#byBoundary.set(closed.boundary, closed.shadowed)
  }

  /** Looks into what the pass over the mail cannot see. */
  #openClosed(part: MimePart) {
    if (part.children.length > 0) return
    if (isMultipart(part)) this.#readOtherBoundary(part)
    else if (!isMessage(part)) this.#open(part)
    else if (isEncoded(part)) this.#readInside(() => this.#readMessage(part, decodeTransfer(part.body, part.encoding)))
  }

  /** Its own boundary never appears: the one that does is meant. */
  #readOtherBoundary(part: MimePart) {
    const boundary = findBoundary(part.body)
    if (boundary === undefined) return
    part.parameters.set('boundary', boundary)
    this.#readInside(() => {
      new TreeReader(part.body, this.#budget).readParts(part, boundary)
    })
  }

  #open(part: MimePart) {
    if (this.#budget.encodedDepth >= MAX_ENCODED_MESSAGE_DEPTH) return
    const opened = openPart(part)
    if (opened === undefined) return
    if (opened.kind === 'encrypted') part.isEncrypted = true
    else
      this.#readInside(() => {
        part.isOpened = true
        if (opened.kind === 'message') return this.#readMessage(part, opened.message)
        this.#budget.truncated ||= opened.truncated
        for (const child of opened.parts) this.#addMade(part, child)
      })
  }

  #addMade(part: MimePart, child: MimePart) {
    if (!this.#mayAddPart()) return
    this.#budget.parts -= 1
    part.children.push(child)
    if (child.type === 'application/ms-tnef') this.#open(child)
  }

  #readMessage(part: MimePart, bytes: Buffer) {
    const message = new TreeReader(bytes, this.#budget).read()
    message.parent = part
    part.children.push(message)
  }

  #readInside(read: () => void) {
    if (this.#budget.encodedDepth >= MAX_ENCODED_MESSAGE_DEPTH || !this.#mayAddPart()) return
    this.#budget.encodedDepth += 1
    read()
    this.#budget.encodedDepth -= 1
  }

  /** Delimiters of closed multiparts are ordinary text. */
  #nextDelimiter(from: number): Delimiter | undefined {
    let offset = startsWithDashes(this.#bytes, from) ? from : this.#lineOfDashes(from)
    while (offset >= 0) {
      const delimiter = delimiterAt(this.#bytes, offset, this.#byBoundary)
      if (delimiter) return delimiter
      this.#budget.candidates -= 1
      if (this.#budget.candidates < 0) {
        this.#budget.truncated = true
        this.#closeLast(offset) // what follows may be anything, so it is not part of this text
        return undefined
      }
      offset = this.#lineOfDashes(offset)
    }
    return undefined
  }

  #mayAddPart(): boolean {
    if (this.#budget.parts <= 0) this.#budget.truncated = true
    return this.#budget.parts > 0
  }

  #lineOfDashes(from: number): number {
    const found = this.#byBoundary.size > 0 ? this.#bytes.indexOf('\n--', from) : -1
    return found < 0 ? -1 : found + 1
  }
}
