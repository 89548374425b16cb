import { createHash } from 'node:crypto'
import { Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { publishEvents } from '../delivery/publish-events.ts'
import { republishRows } from '../delivery/republish.ts'
import type { Envelope } from '../envelope/read-envelope.ts'
import type { EventRow } from '../models/event.ts'
import type { Link } from '../models/link.ts'
import { redactRows } from '../purge.ts'
import { type Arrival, decide } from './arrival.ts'

const FIRST = { bodyKey: 1, unpublishedSince: 1 } as const

type Acceptable = Arrival & { envelope: Envelope; link: Link; key: EventKey }

/** Accepted once stored (unique key, majority, journaled) and published. The sweeper retries; the partner tries again. */
export async function acceptEvents(ctx: Context, arrivals: readonly Arrival[]): Promise<void> {
  if (arrivals.length === 0) return
  const events = arrivals.map((arrival) => Object.assign(arrival, { key: keyOf(arrival) }) as Acceptable)
  const isNew = await insertOnce(
    ctx.events.collection,
    events.map((event) => toRow(event)),
  )
  crashPoint('event-accepted')
  const fresh = events.filter((_, index) => isNew[index])
  const known = events.filter((_, index) => !isNew[index])
  const [, purged] = await Promise.all([publishAll(ctx, fresh), purgedLinks(ctx, fresh)])
  await rejectPurged(
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

/** A concurrent purge writes its tombstone before it deletes, and this reads it after it inserts, so one sees the other. */
async function purgedLinks(ctx: Context, events: readonly Acceptable[]): Promise<Set<string>> {
  const ids = [...new Set(events.map(({ link }) => link._id))]
  const purged =
    ids.length === 0 ? [] : await ctx.links.collection.find({ _id: { $in: ids as never[] }, live: null }).toArray()
  return new Set(purged.map(({ _id }) => String(_id)))
}

/** Events already in the stream are dropped by its consumer, which checks the link again. */
async function rejectPurged(ctx: Context, events: readonly Acceptable[]): Promise<void> {
  if (events.length === 0) return
  await redactRows(ctx, { _id: { $in: events.map(({ key }) => key._id) } })
  for (const event of events) decide(event, Verdict.NOT_SHARED)
}

/** Publishes the first event if needed: its sender may have had no response. */
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

type EventKey = { _id: string; bodyKey?: string }

/** Keyed by its signed id, else by a header id and its bytes: a replay could change the unsigned `X-Pipe-Event-Id`. */
export function eventKey(
  { institutionId, partnerEventId }: Envelope,
  headerId: string | undefined,
  body: Uint8Array,
): EventKey {
  if (partnerEventId !== undefined) return { _id: `evt_${digest('id', institutionId, partnerEventId)}` }
  const bodyKey = digest('body', institutionId, body)
  return { _id: headerId === undefined ? `evt_${bodyKey}` : `evt_${digest('id', institutionId, headerId)}`, bodyKey }
}

function digest(kind: 'id' | 'body', institutionId: string, value: string | Uint8Array): string {
  const hash = createHash('sha256').update(JSON.stringify([kind, institutionId]))
  return hash.update(value).digest('hex').slice(0, 40)
}
