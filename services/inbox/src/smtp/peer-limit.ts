import { clientNetwork } from '@family-inbox/service-kit/client-network'

export type PeerLimit = {
  /** Counts a connection, unless its peer holds as many as it may. */
  admit(connectionId: string, peer: string): boolean
  /** Forgets a connection, counted or not. */
  release(connectionId: string): void
}

/**
 * Counts connections by peer, so that one host cannot take all of them. An IPv6 host is counted by its /64, since it may
 * use any address in there.
 */
export function createPeerLimit(max: number): PeerLimit {
  const peerOf = new Map<string, string>()
  const counts = new Map<string, number>()
  return {
    admit(connectionId, address) {
      const peer = clientNetwork(address)
      const count = counts.get(peer) ?? 0
      if (count >= max) return false
      counts.set(peer, count + 1)
      peerOf.set(connectionId, peer)
      return true
    },
    release(connectionId) {
      const peer = peerOf.get(connectionId)
      if (peer === undefined) return
      peerOf.delete(connectionId)
      const count = counts.get(peer) ?? 0
      if (count > 1) counts.set(peer, count - 1)
      else counts.delete(peer)
    },
  }
}
