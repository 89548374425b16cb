import { Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Context } from '../context.ts'
import { publishEvents } from '../delivery/publish-events.ts'
import { republishRows } from '../delivery/republish.ts'
import type { Envelope } from '../envelope/read-envelope.ts'
import type { EventRow } from '../models/event.ts'
import type { Link } from '../models/link.ts'
import { emptyRows } from '../purge/purge-link.ts'
import { type Arrival, decide } from './arrival.ts'
import { type EventKey, eventKey } from './event-key.ts'

type Acceptable = Arrival & { envelope: Envelope; link: Link; key: EventKey }

/**
 * Stores the events, each once for good (a unique key, on a majority and journaled), and puts them into the stream. Accepted
 * is what is in both. What the stream could not take is left to the sweeper and answered as trouble.
 */
export async function acceptEvents(ctx: Context, arrivals: readonly Arrival[]): Promise<void> {
  if (arrivals.length === 0) return
  const events = arrivals.map((arrival) => Object.assign(arrival, { key: keyOf(arrival) }) as Acceptable)
  const isNew = await insertOnce(
    ctx.events.collection,
    events.map((event) => toRow(event)),
  )
  const fresh = events.filter((_, index) => isNew[index])
  const known = events.filter((_, index) => !isNew[index])
  const [, purged] = await Promise.all([publishAll(ctx, fresh), purgedLinks(ctx, fresh)])
  await takeBack(
    ctx,
    fresh.filter(({ link }) => purged.has(link._id)),
  )
  await acceptKnown(ctx, known)
}

function keyOf({ envelope, posted }: Arrival): EventKey {
  return eventKey(envelope as Envelope, posted.webhookIds[0] ?? posted.partnerEventIds[0], posted.body)
}

function toRow({ key, link, posted, receivedAt }: Acceptable): EventRow {
  return { ...key, linkId: link._id, body: posted.body, receivedAt, unpublishedSince: receivedAt }
}

async function publishAll(ctx: Context, events: readonly Acceptable[]): Promise<void> {
  const published = await publishEvents(
    ctx,
    events.map(({ key, link, envelope, receivedAt }) => ({ eventId: key._id, link, envelope, receivedAt })),
  )
  for (const event of events)
    if (published.has(event.key._id)) decide(event, Verdict.ACCEPTED, { eventId: event.key._id })
}

/**
 * A purge may have come between the look at the link and the insert. It sets its tombstone before it deletes, and this looks
 * for the tombstone after it has inserted, so one of the two sees the other.
 */
async function purgedLinks(ctx: Context, events: readonly Acceptable[]): Promise<Set<string>> {
  const ids = [...new Set(events.map(({ link }) => link._id))]
  const purged =
    ids.length === 0 ? [] : await ctx.links.collection.find({ _id: { $in: ids as never[] }, live: null }).toArray()
  return new Set(purged.map(({ _id }) => String(_id)))
}

/** What reached the stream is dropped at its end, where the link is asked for again. */
async function takeBack(ctx: Context, events: readonly Acceptable[]): Promise<void> {
  if (events.length === 0) return
  await emptyRows(ctx, { _id: { $in: events.map(({ key }) => key._id) } })
  for (const event of events) decide(event, Verdict.NOT_SHARED)
}

/**
 * Answers events that were there already with the first one's id. One that is not known to be in the stream is put there
 * first: its sender may have had no answer, and nothing is accepted that is not in both places.
 */
async function acceptKnown(ctx: Context, events: readonly Acceptable[]): Promise<void> {
  if (events.length === 0) return
  const bodyKeys = events.flatMap(({ key }) => key.bodyKey ?? [])
  const rows = await ctx.events
    .find({ $or: [{ _id: { $in: events.map(({ key }) => key._id) } }, { bodyKey: { $in: bodyKeys } }] }, FIRST)
    .lean()
  const unpublished = await republishRows(
    ctx,
    rows.flatMap(({ _id, unpublishedSince }) => (unpublishedSince ? _id : [])),
  )
  for (const event of events) {
    const { _id, bodyKey } = event.key
    const first = rows.find((row) => row._id === _id || (bodyKey !== undefined && row.bodyKey === bodyKey))
    if (first && !unpublished.has(first._id)) decide(event, Verdict.ACCEPTED, { eventId: first._id })
  }
}

const FIRST = { bodyKey: 1, unpublishedSince: 1 } as const
