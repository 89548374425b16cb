import { type HeaderField, rawField, readHeaderFields } from './header-fields.ts'
import type { MimePart } from './mime-part.ts'
import { decodeTransfer } from './transfer-encoding.ts'

const NO_COMPLAINT = ['not-spam', 'auth-failure', 'dmarc']

export type MailReport = {
  kind: 'bounce' | 'complaint'
  /** The Message-IDs of the reported mail, with angle brackets; none if the report leaves them out. */
  messageIds: string[]
}

const MAX_REPORT_BYTES = 64 * 1024

/** Reads a permanent bounce (RFC 3464) or complaint (RFC 5965); undefined for other mail, such as delay reports. */
export function readMailReport(root: MimePart): MailReport | undefined {
  if (root.type !== 'multipart/report') return undefined
  const kind = root.children.map(kindOf).find((found) => found !== undefined)
  const messageIds = [...new Set(root.children.flatMap(reportedIds))].slice(0, 5)
  return kind === undefined ? undefined : { kind, messageIds }
}

function kindOf(part: MimePart): MailReport['kind'] | undefined {
  if (/^message\/(?:global-)?delivery-status$/.test(part.type)) return isFinal(textOf(part)) ? 'bounce' : undefined
  if (part.type !== 'message/feedback-report') return undefined
  const type = /^feedback-type:\s*([\w-]+)/im.exec(textOf(part))?.[1]?.toLowerCase()
  return type === undefined || NO_COMPLAINT.includes(type) ? undefined : 'complaint'
}

/** Excludes full mailboxes and oversized mail (RFC 3463 section 3). */
function isFinal(status: string): boolean {
  return /^action:\s*failed\b/im.test(status) && /^status:\s*5\.(?!2\.[23]\b|3\.4\b)/im.test(status)
}

/** From the returned mail or its headers (RFC 6522 section 3). */
function reportedIds(part: MimePart): string[] {
  const fields = /^text\/(?:rfc822-headers|global-headers)$/.test(part.type)
    ? headerOf(part)
    : part.children.flatMap((child) => child.fields)
  return rawField(fields, 'message-id')?.match(/<[^<>\s]+>/g) ?? []
}

function headerOf(part: MimePart): HeaderField[] {
  return readHeaderFields(decoded(part), 0, () => false).fields
}

function textOf(part: MimePart): string {
  return decoded(part).toString('latin1')
}

function decoded({ body, encoding }: MimePart): Buffer {
  return decodeTransfer(body.subarray(0, MAX_REPORT_BYTES), encoding)
}
