import ipaddr from 'ipaddr.js'

/** Addresses in public ranges that clouds answer with their machines' secrets. */
const METADATA_SERVERS = new Set(['168.63.129.16'])

/** IANA gives out public IPv6 addresses from here alone; what lies outside is special, or translated to IPv4. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an IP address belongs to the open internet: not to this machine, a private network, a cloud's metadata server,
 * a multicast group, or a range that carries an IPv4 address inside (mapped, NAT64, 6to4, Teredo). IANA special-purpose
 * address registries, RFC 6890. What is not an IP address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast' || METADATA_SERVERS.has(parsed.toString())) return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST)
}
