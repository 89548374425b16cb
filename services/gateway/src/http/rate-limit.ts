import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { type BucketRule, createLeakyBuckets } from '@family-inbox/service-kit/lifecycle/leaky-buckets'
import { clientAddressOf } from './client-address.ts'

/** Whom a request counts for; undefined for one that counts for nobody. Its credential is hashed: secrets are not kept. */
export type Client = { network: string; credential: string | undefined } | undefined

/** `wasted`: the request was refused, or its sender did not wait for the answer. */
export type Outcome = keyof typeof COSTS

export type RateLimit = {
  /** Seconds to wait before a service may be asked again; 0 when there is no need to. */
  secondsToWait(client: Client): number
  /**
   * Counts a request for its credential if a service accepted that lately, or else for its network. Until it has ended it
   * counts most: a flood is not heard longer because answers are slow, and forty requests at once are the most.
   */
  begin(client: Client): (outcome: Outcome) => void
  /** A service accepted the credential: from now on, others in the same network cannot use up its limit. */
  recognize(client: Client): void
  /** A service accepted or refused the credential of a request that has ended. */
  settle(client: Client, isAccepted: boolean): void
}

const COSTS = { answered: 1, wasted: 4 }
const UNFINISHED_COSTS = 10
/** A hundred wasted requests: the last one begins with what it costs until it has ended. */
const BURST = 99 * COSTS.wasted + UNFINISHED_COSTS
/** An answered page takes 30 ms of processor time, so that one person can take a twelfth of two processors for long. */
const CREDENTIAL: BucketRule = { perSecond: 5, burst: BURST }
/** Many families, or the agents of many, may share an address: each counts for it once in a while, until it is recognized. */
const NETWORK: BucketRule = { perSecond: 10, burst: BURST }

/** Refusing a flood here costs a fraction of asking services, which would refuse it too. */
export function createRateLimit(now?: () => number): RateLimit {
  const networks = createLeakyBuckets(NETWORK, now)
  const credentials = createLeakyBuckets(CREDENTIAL, now)

  function find({ network, credential }: NonNullable<Client>) {
    return credential !== undefined && credentials.has(credential)
      ? { buckets: credentials, id: credential }
      : { buckets: networks, id: network }
  }

  function begin(client: Client): (outcome: Outcome) => void {
    if (client === undefined) return () => {}
    const { buckets, id } = find(client)
    buckets.add(id, UNFINISHED_COSTS)
    return (outcome) => buckets.add(id, COSTS[outcome] - UNFINISHED_COSTS)
  }

  function recognize(client: Client): void {
    if (client?.credential !== undefined) credentials.keep(client.credential)
  }

  return {
    begin,
    recognize,
    secondsToWait(client) {
      if (client === undefined) return 0
      const { buckets, id } = find(client)
      return buckets.secondsUntilFree(id, UNFINISHED_COSTS)
    },
    settle(client, isAccepted) {
      if (isAccepted) recognize(client)
      else begin(client)('wasted')
    },
  }
}

/**
 * The client of a request; undefined for one that this machine sends itself, whose operator could do worse.
 * @param credential what identifies the sender if a service accepts it
 */
export function clientOf(req: IncomingMessage, trustedProxies: number, credential?: string): Client {
  const { remoteAddress, localAddress } = req.socket
  if (trustedProxies === 0 && remoteAddress === localAddress) return undefined
  return {
    network: clientNetwork(clientAddressOf(req, trustedProxies)),
    credential: credential === undefined ? undefined : createHash('sha256').update(credential).digest('base64'),
  }
}
