/**
 * The address a request came from, as far as it can be believed. Each proxy of ours appends the address it saw to
 * X-Forwarded-For; everything further left was written by whoever called, and is worth nothing.
 * @param remote the address of the peer of this connection
 * @param forwardedFor the X-Forwarded-For header
 * @param trustedProxies how many proxies of ours stand in front of the gateway
 */
export function clientAddress(remote: string, forwardedFor: string | undefined, trustedProxies: number): string {
  const hops = [...(forwardedFor ?? '').split(',').map((hop) => hop.trim()), remote]
  return hops.at(-1 - trustedProxies) || remote
}
