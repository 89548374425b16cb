import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { createFairBudget, type Share } from '@family-inbox/service-kit/lifecycle/fair-budget'

type PeerLimit = {
  admit(connectionId: string, peer: string): boolean
  release(connectionId: string): void
}

/** A peer gets at most `maxPerPeer` connections, and half of what is left. An IPv6 peer is its /64. */
export function createPeerLimit(maxPerPeer: number, max: number): PeerLimit {
  const connections = createFairBudget(max)
  const admitted = new Map<string, { peer: string; share: Share }>()
  const counts = new Map<string, number>()
  return {
    admit(connectionId, address) {
      const peer = clientNetwork(address)
      const count = counts.get(peer) ?? 0
      const share = count < maxPerPeer ? connections.take([peer], 1) : undefined
      if (share === undefined) return false
      counts.set(peer, count + 1)
      admitted.set(connectionId, { peer, share })
      return true
    },
    release(connectionId) {
      const { peer, share } = admitted.get(connectionId) ?? {}
      if (peer === undefined) return
      admitted.delete(connectionId)
      share?.[Symbol.dispose]()
      const count = counts.get(peer) ?? 0
      if (count > 1) counts.set(peer, count - 1)
      else counts.delete(peer)
    },
  }
}
