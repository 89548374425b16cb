import { CareEventState } from '@family-inbox/proto/carecircle/v1/care_circle'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { count } from '@family-inbox/service-kit/observability/metrics'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { CARE_EVENT_STREAM } from '@family-inbox/workspace-kit/care-events'
import type { Context } from '../context.ts'
import type { Confirmation } from '../models/confirmation.ts'
import type { EventRow } from '../models/event.ts'
import { republishRows } from './republish.ts'

/** Longer than an event takes from its acceptance to its timeline while all is well. */
const SETTLED_MS = 10_000
const BATCH_MS = 5000
/** Longer than one step. */
const HELD_MS = 30_000
const ASK_MS = 5000
/** Allowed clock difference between NATS and the pipe. */
const CLOCK_SKEW_MS = 5000
const MAX_BATCH = 2000
/** A row that could not be published for so long is not waited for. */
const STUCK_MS = DAY_MS

const republished = count({
  name: 'events_republished_total',
  help: 'Accepted events that the stream lost; they were published again from their rows.',
  labels: [],
})

const missing = count({
  name: 'events_missing_total',
  help: 'Accepted events that are on no timeline, although they were published again.',
  labels: [],
})

/**
 * Asks care-circle for every published event, whatever NATS says. One that is on no timeline once the stream has handled all
 * it had is published again from its row, and reported if that does not help.
 */
export function startEventConfirmation(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => firstUnconfirmed(ctx),
    sweep: () => confirmNext(ctx),
    failureMessage: 'events cannot be confirmed yet',
    logger: ctx.logger,
  })
}

async function firstUnconfirmed({ confirmations, events }: Context): Promise<Date | undefined> {
  const confirmed = await confirmations.findById('events').lean<Confirmation | null>()
  if (confirmed === null || confirmed.missedAt) return new Date(0)
  const received = { receivedAt: { $gte: confirmed.until } }
  const first = await events.findOne(received, { receivedAt: 1 }).sort({ receivedAt: 1 }).lean<EventRow | null>()
  if (!first?.receivedAt) return undefined
  return new Date(Math.max(Number(first.receivedAt), Number(confirmed.until) + BATCH_MS) + SETTLED_MS + 1)
}

type Step = { until: Date; missedAt?: Date | null; republishedAt?: Date | null }

/** @returns whether more is waiting */
async function confirmNext(ctx: Context): Promise<boolean> {
  const held = await hold(ctx)
  if (held === null) return false
  let step: Step & { isLast?: boolean } = held
  try {
    step = await confirm(ctx, held)
  } finally {
    await release(ctx, held, step)
  }
  return step.isLast === false
}

/** The first start has nothing to confirm. */
async function hold(ctx: Context): Promise<Confirmation | null> {
  const now = Date.now()
  const $setOnInsert = { until: new Date(now), heldUntil: new Date(0) }
  await ctx.confirmations.updateOne({ _id: 'events' }, { $setOnInsert }, { upsert: true })
  return ctx.confirmations
    .findOneAndUpdate(
      { _id: 'events', heldUntil: { $lt: new Date(now) } },
      { $set: { heldUntil: new Date(now + HELD_MS) } },
      { returnDocument: 'after' },
    )
    .lean<Confirmation | null>()
}

async function release(
  ctx: Context,
  { heldUntil }: Confirmation,
  { until, missedAt = null, republishedAt = null }: Step,
): Promise<void> {
  const $set = { until, missedAt, republishedAt, heldUntil: new Date(0) }
  await ctx.confirmations.updateOne({ _id: 'events', heldUntil }, { $set })
}

async function confirm(ctx: Context, { until, missedAt, republishedAt }: Step): Promise<Step & { isLast: boolean }> {
  if (missedAt && (await oldestWaiting(ctx)) <= Number(missedAt) + CLOCK_SKEW_MS)
    return { until, missedAt, republishedAt, isLast: true }
  const { rows, end } = await nextRows(ctx, until)
  const lost = await findLost(ctx, rows)
  const now = new Date()
  if (lost.length === 0) return { until: end, isLast: rows.length < MAX_BATCH }
  // They may be waiting in the stream.
  if (!missedAt) return { until, missedAt: now, isLast: true }
  const events = lost.length
  if (!republishedAt) {
    ctx.logger.error({ events }, 'the stream lost accepted events; publishing them again')
    await republishRows(ctx, lost, ` ${now.getTime()}`)
    republished.inc(events)
    return { until, missedAt: now, republishedAt: now, isLast: true }
  }
  ctx.logger.error({ events, first: lost.slice(0, 10) }, 'accepted events are on no timeline')
  missing.inc(events)
  return { until: end, isLast: false }
}

/** All that was published before this time, in milliseconds since 1970, has been handled. */
async function oldestWaiting({ careEvents }: Context): Promise<number> {
  const { streams } = await (await careEvents.connection).jetstreamManager({ timeout: 1500 })
  const { messages, first_ts } = (await streams.info(CARE_EVENT_STREAM)).state
  return messages === 0 ? Infinity : Date.parse(first_ts)
}

/** Rows that are not in the stream yet end the batch: the sweeper publishes them. */
async function nextRows(ctx: Context, until: Date): Promise<{ rows: EventRow[]; end: Date }> {
  const settled = new Date(Date.now() - SETTLED_MS)
  const received = { receivedAt: { $gte: until, $lt: settled } }
  const rows = await ctx.events
    .find(received, { linkId: 1, receivedAt: 1, unpublishedSince: 1 })
    .sort({ receivedAt: 1 })
    .limit(MAX_BATCH)
    .lean<EventRow[]>()
  const stuckBefore = new Date(Date.now() - STUCK_MS)
  const first = rows.findIndex(({ unpublishedSince }) => unpublishedSince && unpublishedSince > stuckBefore)
  if (first !== -1) return { rows: rows.slice(0, first), end: rows[first]?.receivedAt ?? until }
  const isFull = rows.length === MAX_BATCH
  const end = (isFull && rows.at(-1)?.receivedAt) || settled
  if (end > until) return { rows, end }
  return { rows, end: isFull ? new Date(Number(until) + 1) : until }
}

/** Leaves out events that care-circle drops because sharing was off since they came, or is off now. */
async function findLost(ctx: Context, rows: EventRow[]): Promise<string[]> {
  if (rows.length === 0) return []
  const eventIds = rows.map(({ _id }) => _id)
  const { states } = await ctx.careCircle.getCareEventStates({ eventIds }, { deadline: Date.now() + ASK_MS })
  const absent = rows.filter((_, index) => states[index] === CareEventState.UNSPECIFIED)
  if (absent.length === 0) return []
  const ids = [...new Set(absent.map(({ linkId = '' }) => linkId))]
  const links = await ctx.links.find({ _id: { $in: ids }, live: true, shared: true }, { shareChangedAt: 1 }).lean()
  const changedAt = new Map(links.map(({ _id, shareChangedAt }) => [_id, Number(shareChangedAt ?? 0)]))
  return absent
    .filter(({ linkId = '', receivedAt }) => Number(receivedAt) > (changedAt.get(linkId) ?? Infinity))
    .map(({ _id }) => _id)
}
