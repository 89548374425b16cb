import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

export function clientAddressOf({ socket, headers }: IncomingMessage, trustedProxies: number): string {
  return clientAddress(socket.remoteAddress ?? '', headers['x-forwarded-for']?.toString(), trustedProxies)
}

/** The client’s address. It controls all of X-Forwarded-For but what trusted proxies appended. */
export function clientAddress(remote: string, forwardedFor: string | undefined, trustedProxies: number): string {
  const hops = [...(forwardedFor ?? '').split(',').map((hop) => hop.trim()), remote]
  const hop = hops.at(-1 - trustedProxies) ?? ''
  return isIP(hop) === 0 ? remote : hop
}
