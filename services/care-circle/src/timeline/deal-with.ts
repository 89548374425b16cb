import type { AcceptedEvent } from '@family-inbox/proto/careevents/v1/care_event'
import { createBatcher } from '@family-inbox/service-kit/batch'
import { describeError } from '@family-inbox/service-kit/logger'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import type { JsMsg } from 'nats'
import type { Context } from '../context.ts'
import type { CareEvent } from '../models/care-event.ts'
import { observePlaced, observeUnseen } from './event-metrics.ts'
import { isOutage } from './is-outage.ts'
import { noteTrouble } from './note-trouble.ts'
import { type Outcome, oneByOneOnFailure } from './one-by-one.ts'
import { placeEvents } from './place-events.ts'
import { decodeEvent, toCareEvent } from './read-event.ts'

/** Deals with one message and tells the stream. Never throws. */
export type DealWith = (message: JsMsg) => Promise<void>

/** A durable write costs about the same for one event as for so many. */
const MAX_BATCH = 256
/** While events come in fast each batch waits so long for more: it is several times as full then. */
const GATHER_MS = 10
/** No batch waits longer: a database that is stopped, not closed, answers nothing for as long as it likes. */
const BATCH_MS = 2500
const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 3000

type Place = (event: CareEvent) => Promise<boolean>

/** Makes what deals with messages. Events that come while others are being placed are placed together. */
export function createDealWith(ctx: Context): DealWith {
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
      await dealWith(ctx, message, place)
    } catch (error) {
      // The event is as safe as it was; only the time until it is seen is lost.
      if (!isOutage(error)) ctx.logger.warn(describeError(error), 'an event waits')
      message.nak(waitOf(message))
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

async function dealWith(ctx: Context, message: JsMsg, place: Place): Promise<void> {
  let event: AcceptedEvent | undefined
  try {
    event = decodeEvent(message.data)
    const isPlaced = await place(toCareEvent(event))
    if (isPlaced) observePlaced(event.receivedAt ?? new Date())
    else drop(ctx, event)
    // Lost, it costs another look at an event that is known by its id.
    message.ack()
  } catch (error) {
    if (isOutage(error)) throw error
    await putAside(ctx, message, event, error)
  }
}

function drop({ logger }: Context, { eventId, linkId }: AcceptedEvent): void {
  observeUnseen('dropped')
  logger.info({ event: eventId, link: linkId }, 'an event was dropped: its link does not share')
}

async function putAside(ctx: Context, message: JsMsg, event: AcceptedEvent | undefined, error: unknown): Promise<void> {
  const { data, subject } = message
  const arrivedAt = new Date(message.info.timestampNanos / 1e6)
  const again = await noteTrouble(ctx, { data, subject, arrivedAt }, event, error)
  if (again !== undefined) return message.nak(again)
  observeUnseen('dead')
  ctx.logger.error({ event: event?.eventId, ...describeError(error) }, 'an event is dead: ops events list')
  // Confirmed by the server: it must not die a second time, after it was replayed.
  await message.ackAck()
}

/** Doubles with every delivery: whoever waits for something that is away must not keep it from coming back. */
function waitOf(message: JsMsg): number {
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(message.info.deliveryCount - 1, 10), LONGEST_WAIT_MS)
}
