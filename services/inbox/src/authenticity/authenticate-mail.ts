import { domainToASCII } from 'node:url'
import { type AuthStatus, authenticate, type DKIMResult, type DMARCResult, type DNSResolver } from 'mailauth'
import { readHeaderFields } from '../mail/header-fields.ts'
import { readFrom } from '../mail/message-fields.ts'
import type { Authenticity, Envelope } from '../models/message.ts'
import type { ResolveDns } from './resolve-dns.ts'

/**
 * Judges where a mail comes from: SPF (RFC 7208) of the host that delivered it, DKIM (RFC 6376), DMARC (RFC 9989) and ARC
 * (RFC 8617). Forwarding breaks some of these as a matter of course, so they are shown, and never a reason to refuse.
 */
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

/** The domain of the address that readers see, which an ambiguous From must not make another than the one judged. */
function domainShown(raw: Buffer): string {
  const { address } = readFrom(readHeaderFields(raw, 0, () => false).fields)
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1))
}

/**
 * Whether the author's organizational domain vouches for the whole mail (RFC 9989 4.4). A signature of only a part of the
 * body (RFC 6376 8.2) does not: anybody can append to it. Without a policy, mailauth aligns by the Public Suffix List.
 */
function isAligned({ status, alignment }: DMARCResult, signatures: DKIMResult[]): boolean {
  if (status.result === 'pass') return Boolean(alignment?.spf?.result) || !alignment?.dkim?.underSized
  if (status.result !== 'none') return false
  return signatures.some(({ status: one }) => one.result === 'pass' && one.aligned && !one.underSized)
}

function resultOf(check: { status: AuthStatus } | false): string {
  return check === false ? 'none' : check.status.result
}

/** One good signature is enough (RFC 6376 6.1); without one, a doubtful signature counts before a bad one. */
function bestOf(results: string[]): string {
  return ['pass', 'temperror'].find((result) => results.includes(result)) ?? results[0] ?? 'none'
}

/** A mail to judge, or the answer to a DNS question; `code` stands for an error. */
export type ToWorker =
  | { job: number; raw: Uint8Array<ArrayBuffer>; envelope: Envelope }
  | { question: number; answer?: unknown; code?: string }

/** That the thread is ready, a verdict, undefined when there was none to be had, or a DNS question. */
export type FromWorker =
  | { ready: true }
  | { job: number; verdict: Authenticity | undefined }
  | { job: number; question: number; name: string; type: string }
