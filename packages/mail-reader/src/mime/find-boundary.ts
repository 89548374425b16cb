const MAX_CANDIDATES = 20
const MAX_LINE = 256
/** RFC 2046 section 5.1.1 allows 70 characters; programs write more. */
const DELIMITER = /^--([^\s-](?:[^\r\n]{0,198}[^\s])?|-{1,60}[^\s-][^\r\n]{0,150})[ \t]*\r?$/

/** The boundary that a multipart uses though it declares another one or none. Undefined if its body is only text. */
export function findBoundary(body: Buffer): string | undefined {
  let offset = body[0] === 0x2d && body[1] === 0x2d ? 0 : lineOfDashes(body, 0)
  for (let count = 0; offset >= 0 && count < MAX_CANDIDATES; count += 1) {
    const [line = '', next = ''] = body.toString('latin1', offset, offset + MAX_LINE * 2).split('\n', 2)
    const boundary = DELIMITER.exec(line)?.[1]?.trimEnd()
    if (boundary !== undefined && (/^content-[\w-]+[ \t]*:/i.test(next) || body.includes(`\n--${boundary}--`, offset)))
      return boundary
    offset = lineOfDashes(body, offset + 2)
  }
  return undefined
}

function lineOfDashes(body: Buffer, from: number): number {
  const found = body.indexOf('\n--', from)
  return found < 0 ? -1 : found + 1
}
