import { type AcceptedEvent, AcceptedEvents } from '@family-inbox/proto/careevents/v1/care_event'
import type { JsMsg } from '@family-inbox/service-kit/nats/client'
import { redeliverAfter } from '@family-inbox/service-kit/nats/consume-stream'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { createBatcher } from '@family-inbox/service-kit/rpc/batch'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { CareEvent } from '../models/care-event.ts'
import { recordFailure } from './dead-letters.ts'
import { observeNotStored, observeStored } from './event-metrics.ts'
import { decodeEvents, toCareEvent, UnreadableEvent } from './read-event.ts'
import { storeEvents } from './store-events.ts'

/** Acknowledges the message or asks for redelivery. Never throws. */
type HandleMessage = (message: JsMsg) => Promise<void>

/** A durable write costs about the same for one event as for a few hundred. */
const MAX_BATCH = 512
/** Messages accepted together arrive a moment apart. */
const GATHER_MS = 3
/** A paused database accepts writes and never answers. */
const BATCH_MS = 2500
const MIN_BACKOFF_MS = 200
const MAX_BACKOFF_MS = 3000

type StoreEvent = (event: CareEvent) => Promise<boolean>

export function createMessageHandler(ctx: Context): HandleMessage {
  const storeInBatch = createBatcher((events: CareEvent[]) => storeBatch(ctx, events), {
    maxItems: MAX_BATCH,
    gatherMs: GATHER_MS,
    staleMs: BATCH_MS,
  })
  const storeEvent: StoreEvent = async (event) => {
    const outcome = await storeInBatch(event)
    if ('error' in outcome) throw outcome.error
    return outcome.result
  }
  return async (message) => {
    try {
      await handle(ctx, message, storeEvent)
    } catch (error) {
      if (!isOutage(error)) ctx.logger.warn(describeError(error), 'could not handle a message; will retry')
      redeliverAfter(message, backoffMs(message))
    }
  }
}

async function storeBatch(ctx: Context, events: CareEvent[]): Promise<Outcome<boolean>[]> {
  const inTime = (some: CareEvent[]) => raceDeadline(storeEvents(ctx, some), Date.now() + BATCH_MS)
  const outcomes = await oneByOneOnFailure(events, inTime, isOutage)
  const outage = outcomes.find((outcome) => 'error' in outcome && isOutage(outcome.error))
  if (outage && 'error' in outage)
    ctx.logger.warn({ events: events.length, ...describeError(outage.error) }, 'events wait for an outage to end')
  return outcomes
}

async function handle(ctx: Context, message: JsMsg, storeEvent: StoreEvent): Promise<void> {
  const failures = await storeAll(ctx, message.data, storeEvent)
  if (failures.length > 0) await handleFailures(ctx, message, failures)
  // A lost ack costs a redelivery; stored events are recognized by their ids.
  else message.ack()
}

type Failure = { event?: AcceptedEvent; data: Uint8Array; error: unknown }

/** @throws an outage, which makes the whole message wait */
async function storeAll(ctx: Context, data: Uint8Array, storeEvent: StoreEvent): Promise<Failure[]> {
  try {
    const failures = await Promise.all(decodeEvents(data).map((event) => storeOne(ctx, event, storeEvent)))
    return failures.flat()
  } catch (error) {
    if (error instanceof UnreadableEvent) return [{ data, error }]
    throw error
  }
}

async function storeOne(ctx: Context, event: AcceptedEvent, storeEvent: StoreEvent): Promise<Failure[]> {
  try {
    const isStored = await storeEvent(toCareEvent(event))
    if (isStored) observeStored(event.receivedAt ?? new Date())
    else drop(ctx, event)
    return []
  } catch (error) {
    if (isOutage(error)) throw error
    return [{ event, data: AcceptedEvents.encode({ events: [event] }).finish(), error }]
  }
}

function drop({ logger }: Context, { eventId, linkId }: AcceptedEvent): void {
  observeNotStored('dropped')
  logger.info({ event: eventId, link: linkId }, 'dropped an event: not shared, purged or unknown')
}

/** Redelivers the message while one of its events has a try left; stored events are recognized by their ids. */
async function handleFailures(ctx: Context, message: JsMsg, failures: Failure[]): Promise<void> {
  const { subject } = message
  const arrivedAt = new Date(message.info.timestampNanos / 1e6)
  const waits = failures.map(async ({ event, data, error }) => {
    const again = await recordFailure(ctx, { data, subject, arrivedAt }, event, error)
    if (again !== undefined) return again
    observeNotStored('dead_letter')
    ctx.logger.error({ event: event?.eventId, ...describeError(error) }, 'stored a dead letter: see ops events list')
    return 0
  })
  const again = Math.max(...(await Promise.all(waits)))
  if (again > 0) redeliverAfter(message, again)
  // Confirmed by the server: a redelivery after a replay would store a second dead letter.
  else await message.ackAck()
}

function backoffMs(message: JsMsg): number {
  return Math.min(MIN_BACKOFF_MS * 2 ** Math.min(message.info.deliveryCount - 1, 10), MAX_BACKOFF_MS)
}

type Outcome<Result> = { result: Result } | { error: unknown }

/** A bad item fails alone. @param isShared true for errors every item would get, which are not retried one by one */
export async function oneByOneOnFailure<Item, Result>(
  items: Item[],
  send: (items: Item[]) => Promise<Result[]>,
  isShared: (error: unknown) => boolean,
): Promise<Outcome<Result>[]> {
  try {
    return (await send(items)).map((result) => ({ result }))
  } catch (error) {
    if (items.length === 1 || isShared(error)) return items.map(() => ({ error }))
    const alone = await Promise.all(items.map((item) => oneByOneOnFailure([item], send, isShared)))
    return alone.flat()
  }
}

/** True when a dependency failed rather than the event: the event then waits, and no try is counted. */
export function isOutage(error: unknown): boolean {
  if (error instanceof StatusError) return error.status !== 'INVALID_ARGUMENT' && error.status !== 'NOT_FOUND'
  // All driver errors except invalid arguments. BSONError, about a document, has another prefix.
  return error instanceof Error && /^Mongo(?!InvalidArgument)/.test(error.name)
}
