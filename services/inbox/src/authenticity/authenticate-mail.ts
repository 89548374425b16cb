import { domainToASCII } from 'node:url'
import { type AuthStatus, authenticate, type DKIMResult, type DMARCResult, type DNSResolver } from 'mailauth'
import { readHeaderFields } from '../mail/header-fields.ts'
import { readFrom } from '../mail/message-fields.ts'
import type { Authenticity, Envelope } from '../models/message.ts'
import type { ResolveDns } from './mail-authenticator.ts'

/** SPF (RFC 7208), DKIM (6376), DMARC (9989) and ARC (8617). Forwarding breaks some of them, so none refuses mail. */
export async function authenticateMail(raw: Buffer, envelope: Envelope, resolve: ResolveDns): Promise<Authenticity> {
  const { spf, dkim, dmarc, arc } = await authenticate(raw, {
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
  }
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

/** One good signature is enough (RFC 6376 6.1); otherwise a temporary error outranks a failure. */
function bestOf(results: string[]): string {
  return ['pass', 'temperror'].find((result) => results.includes(result)) ?? results[0] ?? 'none'
}
