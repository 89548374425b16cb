import type { IncomingHttpHeaders } from 'node:http'
import { clientNetwork } from '@family-inbox/service-kit/client-network'

/**
 * The network a request came from, as the gateway says: the last address in X-Forwarded-For is the one it wrote, and
 * anything before that may be the caller's own words.
 */
export function callerNetwork(headers: IncomingHttpHeaders): string {
  const hops = String(headers['x-forwarded-for'] ?? '').split(',')
  return clientNetwork(hops.at(-1)?.trim() ?? '')
}
