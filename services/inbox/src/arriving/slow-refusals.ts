import { setTimeout as sleep } from 'node:timers/promises'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { createLeakyBuckets } from '@family-inbox/service-kit/lifecycle/leaky-buckets'

/** Mail servers wait up to five minutes for a reply (RFC 5321 section 4.5.3.2). */
const DELAY_MS = 1000
const IN_TIME = { perSecond: 1, burst: 60 }

export type Endpoints = { remoteAddress: string; localAddress: string }

/** Delays refusals of a host that was refused for a minute, so that its flood is as slow as its few connections. */
export function createSlowRefusals(delayMs = DELAY_MS) {
  const refused = createLeakyBuckets(IN_TIME)
  return async <T>({ remoteAddress, localAddress }: Endpoints, work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      const network = clientNetwork(remoteAddress)
      refused.add(network, 1)
      // This machine's own mail server refuses for many.
      const isOwnMachine = remoteAddress === localAddress
      if (!isOwnMachine && refused.secondsUntilFree(network, 0) > 0) await sleep(delayMs)
      throw error
    }
  }
}
