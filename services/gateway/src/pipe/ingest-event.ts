import type { Decision, PipeServiceService, PostedEvent } from '@family-inbox/proto/pipe/v1/pipe'
import { createBatcher } from '@family-inbox/service-kit/rpc/batch'
import type { RpcClient } from '@family-inbox/service-kit/rpc/dial'

/** Together these keep a batch under gRPC's 4 MB per message. */
const SMALL_BYTES = 8 * 1024
const MOST_AT_ONCE = 128
/** A batch costs the pipe about the same for any number of events. */
const GATHER_MS = 5
/** Batches wait for the disk, so two in flight are enough unless both stall this long. */
const STALE_MS = 500

/** Small events share a round trip. @throws StatusError when the pipe is late; the event may still be accepted */
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
