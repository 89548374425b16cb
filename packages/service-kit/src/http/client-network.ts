import { isIPv4, isIPv6, SocketAddress } from 'node:net'

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The network a client is counted by: an IPv4 address, or the /64 of an IPv6 address. Anything else is `unknown`. */
export function clientNetwork(address: string): string {
  const plain = MAPPED.exec(address)?.[1] ?? address
  if (isIPv4(plain)) return plain
  if (!isIPv6(plain)) return 'unknown'
  return firstFourGroups(new SocketAddress({ address: plain, family: 'ipv6' }).address)
}

function firstFourGroups(address: string): string {
  const [head = '', tail] = address.split('::')
  const before = head.split(':').filter((group) => group !== '')
  const after = (tail ?? '').split(':').filter((group) => group !== '')
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}
