import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

export function clientAddressOf({ socket, headers }: IncomingMessage, trustedProxies: number): string {
  return clientAddress(socket.remoteAddress ?? '', headers['x-forwarded-for']?.toString(), trustedProxies)
}

/**
 * Finds the client's address. Each trusted proxy appends the address it saw to X-Forwarded-For; the client controls
 * everything further left.
 * @param remote the peer of this connection
 */
export function clientAddress(remote: string, forwardedFor: string | undefined, trustedProxies: number): string {
  const hops = [...(forwardedFor ?? '').split(',').map((hop) => hop.trim()), remote]
  const hop = hops.at(-1 - trustedProxies) ?? ''
  return isIP(hop) === 0 ? remote : hop
}
