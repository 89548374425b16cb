import { domainToASCII } from 'node:url'
import {
  type ARCResult,
  type AuthStatus,
  authenticate,
  type DKIMResult,
  type DMARCResult,
  type DNSResolver,
} from 'mailauth'
import { readHeaderFields } from '../mime/header-fields.ts'
import { MAX_FIELD_CHARS, MAX_HEADER_FIELDS } from '../mime/limits.ts'
import { readFrom } from '../mime/message-fields.ts'
import type { Authenticity, ResolveDns, SmtpEnvelope } from './authenticity.ts'
import { readServerResults } from './server-results.ts'

const MAX_SIGNATURES = 8
const MAX_HEADER_CHARS = 256 * 1024
const SIGNATURE = /^dkim-signature[ \t]*:/i

/** SPF (RFC 7208), DKIM (6376), DMARC (9989) and ARC (8617). Forwarding breaks some of them, so none refuses mail. */
export async function authenticateMail(
  raw: Buffer,
  envelope: SmtpEnvelope,
  resolve: ResolveDns,
): Promise<Authenticity> {
  if (envelope.fetched !== undefined) return readServerResults(raw, envelope.fetched)
  const { spf, dkim, dmarc, arc } = await authenticate(limitWork(raw), {
    ip: envelope.peer,
    helo: envelope.helo,
    sender: envelope.sender,
    mta: 'inbox',
    resolver: resolve as DNSResolver,
    disableBimi: true,
  })
  const isSameAuthor = dmarc !== false && domainShown(raw) === domainToASCII(dmarc.status.header?.from ?? '')
  return {
    spf: resultOf(spf),
    dkim: bestOf(dkim.results.map(resultOf)),
    dmarc: isSameAuthor ? resultOf(dmarc) : 'none',
    arc: resultOf(arc),
    aligned: isSameAuthor && isAligned(dmarc, dkim.results),
    ...sealsOf(arc),
  }
}

/** The seals of a chain that holds; each of them is valid (RFC 8617 section 5.2). */
function sealsOf(arc: ARCResult | false): Pick<Authenticity, 'arcSealers' | 'arcFirstDmarc'> {
  if (arc === false || arc.status.result !== 'pass' || !arc.chain) return {}
  const arcSealers = arc.chain.map((set) => `${set['arc-seal']?.parsed?.d?.value ?? ''}`.toLowerCase())
  // The library moves those of the last set.
  const first = arc.chain[0]?.['arc-authentication-results']?.parsed?.dmarc?.value
  const only = arc.chain.length === 1 ? arc.authenticationResults?.dmarc?.result : undefined
  const arcFirstDmarc = first ?? only
  return { arcSealers, ...(arcFirstDmarc !== undefined && { arcFirstDmarc: `${arcFirstDmarc}`.toLowerCase() }) }
}

/**
 * Leaves out what would take the library seconds: each signature may need a hash of the whole body (RFC 6376 6.1 allows
 * to check only some), and its time grows with the square of the lines in a field.
 */
function limitWork(raw: Buffer): Buffer {
  const ends = [raw.indexOf('\n\n'), raw.indexOf('\n\r\n')].filter((at) => at >= 0)
  const end = ends.length === 0 ? raw.length : Math.min(...ends) + 1
  const fields = raw.toString('latin1', 0, end).split(/(?<=\n)(?![ \t])/)
  let [signatures, length] = [0, 0]
  const kept = fields.slice(0, MAX_HEADER_FIELDS).filter((field) => {
    length += field.length
    if (field.length > MAX_FIELD_CHARS || length > MAX_HEADER_CHARS) return false
    return !SIGNATURE.test(field) || ++signatures <= MAX_SIGNATURES
  })
  if (kept.length === fields.length) return raw
  return Buffer.concat([Buffer.from(kept.join(''), 'latin1'), raw.subarray(end)])
}

/** Must match the domain that DMARC checked: an ambiguous From could show readers another one. */
function domainShown(raw: Buffer): string {
  const { address } = readFrom(readHeaderFields(raw, 0, () => false).fields)
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1))
}

/** RFC 9989 4.4. A signature of part of the body (RFC 6376 8.2) does not count: anyone can append text. */
function isAligned({ status, alignment }: DMARCResult, signatures: DKIMResult[]): boolean {
  if (status.result === 'pass') return Boolean(alignment?.spf?.result) || !alignment?.dkim?.underSized
  if (status.result !== 'none') return false
  return signatures.some(({ status: one }) => one.result === 'pass' && one.aligned && !one.underSized)
}

function resultOf(check: { status: AuthStatus } | false): string {
  return check === false ? 'none' : check.status.result
}

/** A single good signature is enough (RFC 6376 6.1); otherwise a temporary error outranks a failure. */
function bestOf(results: string[]): string {
  return ['pass', 'temperror'].find((result) => results.includes(result)) ?? results[0] ?? 'none'
}
