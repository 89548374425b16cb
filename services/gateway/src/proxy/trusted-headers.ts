import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { injectTraceContext } from '@family-inbox/service-kit/observability/trace-context'

/** Others are dropped, with the hop-by-hop ones (RFC 9110 section 7.6.1) and `Expect`, which the gateway answers. */
const PASSED =
  /^(?:accept(?:-(?:charset|encoding|language))?|access-control-request-(?:headers|method|private-network)|authorization|cache-control|content-(?:encoding|language|length|type)|cookie|dnt|dpop|if-(?:match|modified-since|none-match|range|unmodified-since)|last-event-id|mcp-[a-z-]+|origin|pragma|priority|range|referer|save-data|sec-[a-z-]+|upgrade-insecure-requests|user-agent)$/

export type Origin = { publicUrl: string; clientAddress: string }

/** Call it before the proxy reads the request: in some cases the proxy allows no later change. */
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
  // A body of unknown length is forwarded in chunks.
  if (req.headers['transfer-encoding'] !== undefined) ours['transfer-encoding'] = 'chunked'
  injectTraceContext((name, value) => {
    ours[name] = value
  })
  req.headers = { ...Object.fromEntries(headers), ...ours }
}

/** Header names listed in Connection (RFC 9110 section 7.6.1). Content-Length frames the body, so it cannot be one. */
function namedInConnection({ connection = '' }: IncomingHttpHeaders): Set<string> {
  const names = connection.split(',').map((name) => name.trim().toLowerCase())
  return new Set(names.filter((name) => name !== 'content-length'))
}
