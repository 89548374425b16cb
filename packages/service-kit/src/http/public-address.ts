import ipaddr from 'ipaddr.js'

/** Azure's metadata server has a public address. */
const METADATA_SERVERS = new Set(['168.63.129.16'])
/** The rest of IPv6 is special-purpose or wraps IPv4. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether an IP address is on the open internet: IANA special-purpose registries, RFC 6890. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast' || METADATA_SERVERS.has(parsed.toString())) return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST)
}
