import { isIPv4 } from 'node:net'

/** Whether a listen address is reachable from this machine only. Other names fail: someone else controls what they resolve to. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}

/** Whether a URL leads to this machine only. Names below `localhost` resolve to it by definition (RFC 6761 section 6.3). */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url)
  return isLoopbackHost(hostname) || hostname.endsWith('.localhost')
}

export type Addresses = { urls: Readonly<Record<string, string>>; hosts: Readonly<Record<string, string>> }

/** Which setting makes this installation public, if any. Only a private one may show unsent mail and sign-in codes. */
export function reachableBy({ urls, hosts }: Addresses): string | undefined {
  const elsewhere = [
    ...Object.entries(urls).filter(([, url]) => !isLoopbackUrl(url)),
    ...Object.entries(hosts).filter(([, host]) => !isLoopbackHost(host)),
  ]
  return elsewhere.map(([setting, value]) => `${setting} is ${value}`)[0]
}

export function mailServerMissing(reachable: string): string {
  return (
    `SMTP_URL is missing: ${reachable}, so others can reach this installation and sign-in codes must be mailed. ` +
    'Set SMTP_PROVIDER, SMTP_USER and SMTP_PASSWORD, or SMTP_URL, for example smtps://user:password@mail.example.org, or use loopback addresses only.'
  )
}
