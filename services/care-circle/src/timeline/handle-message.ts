import { type AcceptedEvent, AcceptedEvents } from '@family-inbox/proto/careevents/v1/care_event'
import { handBack } from '@family-inbox/service-kit/nats/consume-stream'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { createBatcher } from '@family-inbox/service-kit/rpc/batch'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import type { JsMsg } from 'nats'
import type { Context } from '../context.ts'
import type { CareEvent } from '../models/care-event.ts'
import { noteTrouble } from './dead-letters.ts'
import { observePlaced, observeUnseen } from './event-metrics.ts'
import { isOutage } from './is-outage.ts'
import { decodeEvents, toCareEvent, UnreadableEvent } from './read-event.ts'
import { placeEvents } from './store-events.ts'

/** Handles one message and acknowledges it or asks for redelivery. Never throws. */
type HandleMessage = (message: JsMsg) => Promise<void>

/** A durable write costs about the same for one event as for a few hundred. */
const MAX_BATCH = 512
/** Messages accepted together arrive a moment apart. */
const GATHER_MS = 3
/** A paused database accepts writes and never answers. */
const BATCH_MS = 2500
const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 3000

type Place = (event: CareEvent) => Promise<boolean>

/** Creates the message handler. Concurrent events are stored in batches. */
export function createMessageHandler(ctx: Context): HandleMessage {
  const placed = createBatcher((events: CareEvent[]) => placeBatch(ctx, events), {
    maxItems: MAX_BATCH,
    gatherMs: GATHER_MS,
    staleMs: BATCH_MS,
  })
  const place: Place = async (event) => {
    const outcome = await placed(event)
    if ('error' in outcome) throw outcome.error
    return outcome.result
  }
  return async (message) => {
    try {
      await handle(ctx, message, place)
    } catch (error) {
      if (!isOutage(error)) ctx.logger.warn(describeError(error), 'an event waits')
      handBack(message, waitOf(message))
    }
  }
}

async function placeBatch(ctx: Context, events: CareEvent[]): Promise<Outcome<boolean>[]> {
  const inTime = (some: CareEvent[]) => raceDeadline(placeEvents(ctx, some), Date.now() + BATCH_MS)
  const outcomes = await oneByOneOnFailure(events, inTime, isOutage)
  const outage = outcomes.find((outcome) => 'error' in outcome && isOutage(outcome.error))
  if (outage && 'error' in outage)
    ctx.logger.warn({ events: events.length, ...describeError(outage.error) }, 'events wait for what is away')
  return outcomes
}

async function handle(ctx: Context, message: JsMsg, place: Place): Promise<void> {
  const troubles = await placeAll(ctx, message.data, place)
  if (troubles.length > 0) await putAside(ctx, message, troubles)
  // A lost ack costs a redelivery; stored events are recognized by their ids.
  else message.ack()
}

/** An event that failed, with the message it would be in alone. */
type Trouble = { event?: AcceptedEvent; data: Uint8Array; error: unknown }

/** @throws an outage, which makes the whole message wait */
async function placeAll(ctx: Context, data: Uint8Array, place: Place): Promise<Trouble[]> {
  try {
    const troubles = await Promise.all(decodeEvents(data).map((event) => placeOne(ctx, event, place)))
    return troubles.flat()
  } catch (error) {
    if (error instanceof UnreadableEvent) return [{ data, error }]
    throw error
  }
}

async function placeOne(ctx: Context, event: AcceptedEvent, place: Place): Promise<Trouble[]> {
  try {
    const isPlaced = await place(toCareEvent(event))
    if (isPlaced) observePlaced(event.receivedAt ?? new Date())
    else drop(ctx, event)
    return []
  } catch (error) {
    if (isOutage(error)) throw error
    return [{ event, data: AcceptedEvents.encode({ events: [event] }).finish(), error }]
  }
}

function drop({ logger }: Context, { eventId, linkId }: AcceptedEvent): void {
  observeUnseen('dropped')
  logger.info({ event: eventId, link: linkId }, 'an event was dropped: its link does not share')
}

/** Redelivers the message while one of its events has a try left; stored events are recognized by their ids. */
async function putAside(ctx: Context, message: JsMsg, troubles: Trouble[]): Promise<void> {
  const { subject } = message
  const arrivedAt = new Date(message.info.timestampNanos / 1e6)
  const waits = troubles.map(async ({ event, data, error }) => {
    const again = await noteTrouble(ctx, { data, subject, arrivedAt }, event, error)
    if (again !== undefined) return again
    observeUnseen('dead')
    ctx.logger.error({ event: event?.eventId, ...describeError(error) }, 'an event is dead: ops events list')
    return 0
  })
  const again = Math.max(...(await Promise.all(waits)))
  if (again > 0) handBack(message, again)
  // Confirmed by the server: a redelivery after a replay would store a second dead letter.
  else await message.ackAck()
}

/** Backs off, so that waiting messages do not hinder a recovery. */
function waitOf(message: JsMsg): number {
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(message.info.deliveryCount - 1, 10), LONGEST_WAIT_MS)
}

type Outcome<Result> = { result: Result } | { error: unknown }

/**
 * Sends items together and, if that fails, one by one, so that one bad item fails alone.
 * @param send returns one result per item, in order
 * @param isShared true for errors every item would get, which are not retried one by one
 */
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
