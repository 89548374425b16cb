import type { Decision, PipeServiceService, PostedEvent } from '@family-inbox/proto/pipe/v1/pipe'
import { createBatcher } from '@family-inbox/service-kit/rpc/batch'
import type { RpcClient } from '@family-inbox/service-kit/rpc/dial'

/** Together these keep a batch under the 4 MB of one gRPC message. */
const SMALL_BYTES = 8 * 1024
const MOST_AT_ONCE = 128
/** A batch costs the pipe about the same however many events are in it. */
const GATHER_MS = 5
/** Batches wait for the disk; two that stand still wait for the same. */
const STALE_MS = 500

/**
 * Makes what hands events to the pipe: small ones that are posted at the same time share a round trip, large ones go alone.
 * @throws StatusError when the pipe is away or late; the event may have been accepted all the same
 */
export function createIngestEvent(
  pipe: Pick<RpcClient<typeof PipeServiceService>, 'ingestEvents'>,
): (event: PostedEvent) => Promise<Decision> {
  const ingest = async (events: PostedEvent[]) => (await pipe.ingestEvents({ events })).decisions
  const together = createBatcher(ingest, { maxItems: MOST_AT_ONCE, gatherMs: GATHER_MS, staleMs: STALE_MS })
  return async (event) => {
    if (event.body.length <= SMALL_BYTES) return together(event)
    const [decision] = await ingest([event])
    return decision as Decision
  }
}
