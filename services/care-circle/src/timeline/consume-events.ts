import { consumeStream } from '@family-inbox/service-kit/nats/consume-stream'
import {
  CARE_EVENT_CONSUMER,
  CARE_EVENT_STREAM,
  CARE_EVENT_SUBJECTS,
  ensureCareEventStream,
} from '@family-inbox/workspace-kit/care-events'
import type { Context } from '../context.ts'
import { createMessageHandler } from './handle-message.ts'

/** Messages one replica processes and prefetches: together two batches. */
const CONCURRENCY = 32
const PREFETCH = 32
/** For all replicas, messages waiting for a retry included. */
const MAX_PENDING = 4096
/** Longer than two batches take. */
const ACK_WAIT_MS = 6000
const RETRY_MS = 500

/** Acknowledges a message once each of its events is stored, dropped or a dead letter. */
export function consumeEvents(ctx: Context): AsyncDisposable {
  return consumeStream({
    connection: ctx.eventStream.connection,
    stream: CARE_EVENT_STREAM,
    ensure: (nats) => ensureCareEventStream(nats, ctx.config.natsReplicas),
    consumer: CARE_EVENT_CONSUMER,
    rules: { filter_subject: CARE_EVENT_SUBJECTS, max_ack_pending: MAX_PENDING },
    ackWaitMs: ACK_WAIT_MS,
    concurrency: CONCURRENCY,
    prefetch: PREFETCH,
    handle: createMessageHandler(ctx),
    failureMessage: 'could not read accepted events; will retry',
    retryMs: RETRY_MS,
    logger: ctx.logger,
  })
}
