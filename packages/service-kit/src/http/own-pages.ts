import type { IncomingHttpHeaders } from 'node:http'

/** Pages cannot forge Sec-Fetch-Site. Browsers without it, or on an address without TLS, send Origin. */
export function isSentFromOurPages(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return headers.origin === ownOrigin
}
