const PLAIN = /(?:^|; ?)family_session=([A-Za-z0-9._~-]{1,200})(?:;|$)/
const HOST_ONLY = /(?:^|; ?)__Host-family_session=([A-Za-z0-9._~-]{1,200})(?:;|$)/

/**
 * The secret in the cookie of a signed-in browser. On https only the `__Host-` name counts (RFC 6265bis section 4.1.3.2): a
 * plain one may have been planted by a sibling host, or over http.
 * @param header the Cookie header
 * @param inboxUrl the address the site sets the cookie at
 */
export function findSessionCookie(header: string | undefined, inboxUrl: string): string | undefined {
  const pattern = inboxUrl.startsWith('https:') ? HOST_ONLY : PLAIN
  return pattern.exec(header ?? '')?.[1]
}
