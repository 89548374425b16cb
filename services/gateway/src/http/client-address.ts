import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** The address a request came from, as {@link clientAddress} finds it. */
export function clientAddressOf({ socket, headers }: IncomingMessage, trustedProxies: number): string {
  return clientAddress(socket.remoteAddress ?? '', headers['x-forwarded-for']?.toString(), trustedProxies)
}

/**
 * The address a request came from, as far as it can be believed. Each proxy of ours appends the address it saw to
 * X-Forwarded-For; everything further left was written by whoever called, and is worth nothing.
 * @param remote the address of the peer of this connection
 * @param forwardedFor the X-Forwarded-For header
 * @param trustedProxies how many proxies of ours stand in front of the gateway
 */
export function clientAddress(remote: string, forwardedFor: string | undefined, trustedProxies: number): string {
  const hops = [...(forwardedFor ?? '').split(',').map((hop) => hop.trim()), remote]
  const hop = hops.at(-1 - trustedProxies) ?? ''
  return isIP(hop) === 0 ? remote : hop
}
