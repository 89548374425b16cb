import { setTimeout as sleep } from 'node:timers/promises'
import {
  CARE_EVENT_CONSUMER,
  CARE_EVENT_STREAM,
  CARE_EVENT_SUBJECTS,
  ensureCareEventStream,
} from '@family-inbox/care-events/care-event-stream'
import { describeError } from '@family-inbox/service-kit/logger'
import { AckPolicy, type ConsumerMessages, type JsMsg, nanos } from 'nats'
import type { Context } from '../context.ts'
import { createDealWith, type DealWith } from './deal-with.ts'

/** How many events one replica has in work, and how many at most it is told of before. */
const AT_ONCE = 64
const AT_HAND = 64
/** How many all replicas together may have, those that wait to be tried again included. */
const MOST_PENDING = 4096
/** An event whose replica has not been heard of for so long is given to another: longer than two batches may take. */
const ACK_WAIT_MS = 6000
/** A stream or consumer that has gone is noticed within about twice the half of it. */
const EXPIRES_MS = 4000
const TROUBLE_MS = 500

/**
 * Puts accepted events on timelines for as long as the process lives: one durable consumer for all replicas, told of each event as it
 * comes. An event leaves the stream when it is on its timeline, dropped or kept among the dead. While NATS is away, or the
 * stream is gone, it is opened again and again.
 */
export function consumeEvents(ctx: Context): AsyncDisposable {
  const dealWith = createDealWith(ctx)
  let isClosed = false
  let open: ConsumerMessages | undefined

  async function run(): Promise<void> {
    while (!isClosed) {
      try {
        open = await openConsumer(ctx)
        const messages = open[Symbol.asyncIterator]()
        await Promise.all(Array.from({ length: AT_ONCE }, () => work(messages, dealWith)))
      } catch (error) {
        if (!isClosed) ctx.logger.warn(describeError(error), 'accepted events cannot be read yet')
      }
      if (!isClosed) await sleep(TROUBLE_MS, undefined, { ref: false })
    }
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      isClosed = true
      await open?.close()
      if (open === undefined) return
      await running
      // What was dealt with should not come again because its acknowledgement was still in a buffer.
      await (await ctx.eventStream.connection).flush().catch(() => {})
    },
  }
}

async function openConsumer(ctx: Context): Promise<ConsumerMessages> {
  const nats = await ctx.eventStream.connection
  await ensureCareEventStream(nats, ctx.config.natsReplicas)
  const manager = await nats.jetstreamManager({ timeout: 5000 })
  await manager.consumers.add(CARE_EVENT_STREAM, {
    durable_name: CARE_EVENT_CONSUMER,
    filter_subject: CARE_EVENT_SUBJECTS,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: MOST_PENDING,
    max_deliver: -1,
  })
  const consumer = await nats.jetstream().consumers.get(CARE_EVENT_STREAM, CARE_EVENT_CONSUMER)
  return consumer.consume({ max_messages: AT_HAND, expires: EXPIRES_MS, abort_on_missing_resource: true })
}

/** All workers take from one iterator: the stream allows no second one. */
async function work(messages: AsyncIterator<JsMsg>, dealWith: DealWith): Promise<void> {
  for (let next = await messages.next(); !next.done; next = await messages.next()) await dealWith(next.value)
}
