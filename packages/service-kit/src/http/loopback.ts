import { isIPv4 } from 'node:net'

/**
 * Whether an address to listen on is reached from this machine alone: `localhost`, 127.0.0.0/8 or ::1, written in full.
 * Every other name is refused, since somebody else decides what it resolves to.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}

/** Whether a URL leads to this machine alone. Names below `localhost` resolve to it by definition (RFC 6761 section 6.3). */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url)
  return isLoopbackHost(hostname) || hostname.endsWith('.localhost')
}

/** Public addresses and addresses to listen on, each by the setting that names it. */
export type Addresses = { urls: Readonly<Record<string, string>>; hosts: Readonly<Record<string, string>> }

/**
 * What makes this installation reachable from another machine, for example `HTTP_HOST is 0.0.0.0`, if anything does.
 * Only where nothing does may mail stay unsent and sign-in codes be shown.
 */
export function reachableBy({ urls, hosts }: Addresses): string | undefined {
  const elsewhere = [
    ...Object.entries(urls).filter(([, url]) => !isLoopbackUrl(url)),
    ...Object.entries(hosts).filter(([, host]) => !isLoopbackHost(host)),
  ]
  return elsewhere.map(([setting, value]) => `${setting} is ${value}`)[0]
}

/** The one line for whoever starts an installation that others can reach and that cannot send mail. */
export function mailServerMissing(reachable: string): string {
  return (
    `SMTP_URL is missing: ${reachable}, so others can reach this installation, and sign-in codes must go out by mail. ` +
    'Set SMTP_URL, for example smtps://user:password@mail.example.org, or use loopback addresses only.'
  )
}
