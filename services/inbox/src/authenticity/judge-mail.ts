import { type AuthStatus, authenticate, type DNSResolver } from 'mailauth'
import type { Authenticity, Envelope } from '../models/message.ts'
import type { ResolveDns } from './resolve-dns.ts'

/**
 * Judges where a mail comes from: SPF (RFC 7208) of the host that delivered it, DKIM (RFC 6376), DMARC (RFC 9989) and ARC
 * (RFC 8617). Forwarding breaks some of these as a matter of course, so they are shown, and never a reason to refuse.
 */
export async function judgeMail(raw: Buffer, envelope: Envelope, resolve: ResolveDns): Promise<Authenticity> {
  const { spf, dkim, dmarc, arc } = await authenticate(raw, {
    ip: envelope.peer,
    helo: envelope.helo,
    sender: envelope.sender,
    mta: 'inbox',
    resolver: resolve as DNSResolver,
    disableBimi: true,
  })
  return {
    spf: resultOf(spf),
    dkim: bestOf(dkim.results.map(resultOf)),
    dmarc: resultOf(dmarc),
    arc: resultOf(arc),
  }
}

function resultOf(check: { status: AuthStatus } | false): string {
  return check === false ? 'none' : check.status.result
}

/** One good signature is enough (RFC 6376 6.1); without one, a doubtful signature counts before a bad one. */
function bestOf(results: string[]): string {
  return ['pass', 'temperror'].find((result) => results.includes(result)) ?? results[0] ?? 'none'
}
