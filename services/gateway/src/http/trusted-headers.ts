import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { injectTraceContext } from '@family-inbox/service-kit/observability/trace-context'

/**
 * What a caller may say to a service behind the gateway: the semantics of the request (RFC 9110), cookies, and what browsers
 * say of themselves. Deny by default: whatever a proxy, a framework or a tracer believes is not on this list, and neither is
 * what belongs to one connection (RFC 9110 section 7.6.1) nor `Expect`, which the gateway has already answered.
 */
const PASSED =
  /^(?:accept(?:-(?:charset|encoding|language))?|access-control-request-(?:headers|method|private-network)|authorization|cache-control|content-(?:encoding|language|length|type)|cookie|dnt|dpop|if-(?:match|modified-since|none-match|range|unmodified-since)|last-event-id|mcp-[a-z-]+|origin|pragma|priority|range|referer|save-data|sec-[a-z-]+|upgrade-insecure-requests|user-agent)$/

/** A public address of ours, and whom the request is from. */
export type Origin = { publicUrl: string; clientAddress: string }

/**
 * Replaces the headers of a request by those a service may believe: what the caller may say, and from the gateway the host,
 * the scheme, the client's address, and the name of the request. To be called before a proxy reads the request, since a proxy
 * has cases in which it lets nobody change anything afterwards.
 */
export function replaceHeaders(req: IncomingMessage, { publicUrl, clientAddress }: Origin): void {
  const { host, protocol } = new URL(publicUrl)
  const named = namedInConnection(req.headers)
  const headers = Object.entries(req.headers).filter(([name]) => PASSED.test(name) && !named.has(name))
  const ours: IncomingHttpHeaders = {
    host,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-for': clientAddress,
  }
  // The body goes on as it is read: without a length of its own, in chunks.
  if (req.headers['transfer-encoding'] !== undefined) ours['transfer-encoding'] = 'chunked'
  injectTraceContext((name, value) => {
    ours[name] = value
  })
  req.headers = { ...Object.fromEntries(headers), ...ours }
}

/** Options of the connection (RFC 9110 section 7.6.1). What frames the body cannot be one of them. */
function namedInConnection({ connection = '' }: IncomingHttpHeaders): Set<string> {
  const names = connection.split(',').map((name) => name.trim().toLowerCase())
  return new Set(names.filter((name) => name !== 'content-length'))
}
