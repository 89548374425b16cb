const PLAIN = /(?:^|; ?)family_session=([A-Za-z0-9._~-]{1,200})(?:;|$)/
const HOST_ONLY = /(?:^|; ?)__Host-family_session=([A-Za-z0-9._~-]{1,200})(?:;|$)/

/** A response header from the site to the gateway, which removes it: the session of this request is good. */
export const SESSION_ACCEPTED = 'x-session-accepted'

/** On https only the `__Host-` name counts (RFC 6265bis section 4.1.3.2): a sibling host could have set the other. */
export function findSessionCookie(header: string | undefined, inboxUrl: string): string | undefined {
  const pattern = inboxUrl.startsWith('https:') ? HOST_ONLY : PLAIN
  return pattern.exec(header ?? '')?.[1]
}
