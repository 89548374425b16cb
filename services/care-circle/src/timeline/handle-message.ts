import { type AcceptedEvent, AcceptedEvents } from '@family-inbox/proto/careevents/v1/care_event'
import { redeliverAfter } from '@family-inbox/service-kit/nats/consume-stream'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { createBatcher } from '@family-inbox/service-kit/rpc/batch'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import type { JsMsg } from 'nats'
import type { Context } from '../context.ts'
import type { CareEvent } from '../models/care-event.ts'
import { noteTrouble } from './dead-letters.ts'
import { observePlaced, observeUnseen } from './event-metrics.ts'
import { isOutage } from './is-outage.ts'
import { placeEvents } from './place-events.ts'
import { decodeEvents, toCareEvent, UnreadableEvent } from './read-event.ts'

/** Deals with one message and tells the stream. Never throws. */
type HandleMessage = (message: JsMsg) => Promise<void>

/** A durable write costs about the same for one event as for a few hundred. */
const MAX_BATCH = 512
/** Messages of many events that were accepted together come a moment apart. */
const GATHER_MS = 3
/** No batch waits longer: a database that is stopped, not closed, answers nothing for as long as it likes. */
const BATCH_MS = 2500
const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 3000

type Place = (event: CareEvent) => Promise<boolean>

/** Makes what deals with messages. Events that come while others are being placed are placed together. */
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
      // The event is as safe as it was; only the time until it is seen is lost.
      if (!isOutage(error)) ctx.logger.warn(describeError(error), 'an event waits')
      redeliverAfter(message, waitOf(message))
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
  // Lost, it costs another look at events that are known by their ids.
  else message.ack()
}

/** An event with trouble of its own, and the message it would be in alone. */
type Trouble = { event?: AcceptedEvent; data: Uint8Array; error: unknown }

/** @throws an outage, in which every event of the message waits */
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

/** As long as one of its events has a try left the message comes again; those that are placed are known by their ids. */
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
  if (again > 0) redeliverAfter(message, again)
  // Confirmed by the server: it must not die a second time, after it was replayed.
  else await message.ackAck()
}

/** Doubles with every delivery: whoever waits for something that is away must not keep it from coming back. */
function waitOf(message: JsMsg): number {
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(message.info.deliveryCount - 1, 10), LONGEST_WAIT_MS)
}

/** What became of one item of a batch. */
type Outcome<Result> = { result: Result } | { error: unknown }

/**
 * Sends items together, and one by one when together they fail for a reason that may lie in one of them: so that whatever is
 * wrong with an item is that item's trouble alone.
 * @param send answers with as many results, in order
 * @param isShared whether an error would meet every item alike, so that asking again for each is of no use
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
