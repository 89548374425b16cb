import { consumeStream } from '@family-inbox/service-kit/nats/consume-stream'
import {
  CARE_EVENT_CONSUMER,
  CARE_EVENT_STREAM,
  CARE_EVENT_SUBJECTS,
  ensureCareEventStream,
} from '@family-inbox/workspace-kit/care-events'
import type { Context } from '../context.ts'
import { createMessageHandler } from './handle-message.ts'

/** How many messages one replica has in work, and how many at most it is told of before: together two batches of events. */
const AT_ONCE = 32
const AT_HAND = 32
/** How many all replicas together may have, those that wait to be tried again included. */
const MOST_PENDING = 4096
/** Longer than two batches may take. */
const ACK_WAIT_MS = 6000
/** A stream or consumer that has gone is noticed within about twice the half of it. */
const EXPIRES_MS = 4000
const TROUBLE_MS = 500

/**
 * Puts accepted events on timelines, told of each message as it comes. A message leaves the stream when each of its events is on
 * its timeline, dropped or kept among the dead.
 */
export function consumeEvents(ctx: Context): AsyncDisposable {
  return consumeStream({
    connection: ctx.eventStream.connection,
    stream: CARE_EVENT_STREAM,
    ensure: (nats) => ensureCareEventStream(nats, ctx.config.natsReplicas),
    consumer: CARE_EVENT_CONSUMER,
    rules: { filter_subject: CARE_EVENT_SUBJECTS, max_ack_pending: MOST_PENDING },
    ackWaitMs: ACK_WAIT_MS,
    consume: { max_messages: AT_HAND, expires: EXPIRES_MS, abort_on_missing_resource: true },
    concurrency: AT_ONCE,
    handle: createMessageHandler(ctx),
    failureMessage: 'accepted events cannot be read yet',
    retryMs: TROUBLE_MS,
    logger: ctx.logger,
  })
}
