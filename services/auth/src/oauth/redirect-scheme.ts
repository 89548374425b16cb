const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * The short schemes that MCP apps register. An allow list: others may trigger the operating system (`ms-msdt:`,
 * `search-ms:`, `tel:`). An app without one uses https, loopback or a reversed domain name.
 */
const KNOWN_APPLICATIONS = new Set(['claude:', 'cursor:'])

/** A reversed domain name (RFC 8252 section 7.1), except those Windows and macOS use for themselves. */
const REVERSED_DOMAIN =
  /^(?!(?:apple|microsoft|windows|x-apple)\.)[a-z][a-z0-9]*(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+:$/

/** True when a code may be sent to this scheme: https, http on loopback, or an app's own scheme. */
export function isRedirectScheme(url: URL): boolean {
  if (url.protocol === 'https:') return true
  if (url.protocol === 'http:') return isLoopback(url)
  return REVERSED_DOMAIN.test(url.protocol) || KNOWN_APPLICATIONS.has(url.protocol)
}

/** True for loopback hosts (RFC 8252 section 7.3). */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.has(hostname)
}
