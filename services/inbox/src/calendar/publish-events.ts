import { setTimeout as sleep } from 'node:timers/promises'
import { senderOf } from '@family-inbox/mail-reader/authenticity/sender-of'
import { type FileOfCalendar, lossesOf, type MailCalendar } from '@family-inbox/mail-reader/calendar/calendar-files'
import type { AttachmentMeta } from '@family-inbox/mail-reader/mime/attachments'
import { previewKind } from '@family-inbox/mail-reader/preview/preview-kind'
import type { CalendarEvent } from '@family-inbox/proto/calendar/v1/calendar_change'
import { PreviewKind } from '@family-inbox/proto/inbox/v1/inbox'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { earliest } from '@family-inbox/service-kit/mongo/rows'
import { detectStreamLoss } from '@family-inbox/service-kit/nats/detect-stream-loss'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { count } from '@family-inbox/service-kit/observability/metrics'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { CALENDAR_CHANGE_STREAM } from '@family-inbox/workspace-kit/calendar-changes'
import { nameOfSender } from '@family-inbox/workspace-kit/sender-name'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { type Message, publicIdOf } from '../models/message.ts'
import { ORIGINAL_FIELDS, readOriginal } from '../models/original.ts'
import { storeCalendar } from './find-calendar.ts'

const losses = count({
  name: 'calendar_losses_total',
  help: 'Mails with calendar files that could not be read in full, by what is lost.',
  labels: ['loss'],
})

const BATCH = 20
/** More would be read and sorted again for each batch. */
const MAX_WAITING = 1000
/** A file that ends its thread this often is a download only. */
const MAX_FAILURES = 2
/** So is one that fails otherwise, or ends the process: a restart in the middle counts as well. */
const MAX_ATTEMPTS = 20
const MEMORY_FACTOR = 2
/** Nobody waits longer for the slow file of another family. */
const ROUND_MS = 500
const MEMORY_WAIT_MS = 1000
/** Longer than care-circle is ever behind the stream. */
const LOST_WITHIN_MS = 30 * DAY_MS

const FAILURE = 'events of calendar files could not be handed on; will retry'

/** Hands the events of calendar files to care-circle. A crash repeats one, which has no effect there. */
export function publishCalendarEvents(ctx: Context): AsyncDisposable {
  const reading = new Set<string>()
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => earliest(ctx.messages, 'receivedAt', PUBLISHABLE),
    sweep: () => publishSome(ctx, reading),
    wake: ctx.wake.calendar,
    failureMessage: FAILURE,
    logger: ctx.logger,
  })
}

/** Publishes again, from the mail, what the stream lost. */
export function watchCalendarStream(ctx: Context): AsyncDisposable {
  const onLoss = async () => {
    const since = new Date(Date.now() - LOST_WITHIN_MS)
    await ctx.messages.updateMany({ calendarAt: { $gte: since } }, { $set: { calendarPending: true } })
    ctx.wake.calendar()
  }
  const { connection } = ctx.calendarChanges
  const { connection: database, logger } = ctx
  return detectStreamLoss({ connection, stream: CALENDAR_CHANGE_STREAM, database, onLoss, logger })
}

/** The sender must be known before a mail may change anything. */
const PUBLISHABLE = { calendarPending: true, authenticityPending: null }

const FIELDS = {
  ...ORIGINAL_FIELDS,
  from: 1,
  originalSender: 1,
  forwardedByMember: 1,
  authenticity: 1,
  receivedAt: 1,
  calendarAttempts: 1,
  calendarFailures: 1,
  attachments: 1,
} as const

type Row = Pick<Message, '_id' | keyof typeof FIELDS>

/**
 * The oldest of each workspace, so that a cancellation follows its invitation and nobody's slow files delay another family.
 * Returns whether to look again without a pause.
 * @param reading the workspaces of slow files that an earlier round has left behind
 */
async function publishSome(ctx: Context, reading: Set<string>): Promise<boolean> {
  const { collection } = ctx.messages
  const oldest = await collection
    .aggregate<{ rowId: string }>([
      { $match: { ...PUBLISHABLE, workspaceId: { $nin: [...reading] } } },
      { $sort: { receivedAt: 1 } },
      { $limit: MAX_WAITING },
      {
        $group: {
          _id: '$workspaceId',
          rowId: { $first: '$_id' },
          receivedAt: { $first: '$receivedAt' },
          attempts: { $first: { $ifNull: ['$calendarAttempts', 0] } },
        },
      },
      { $sort: { attempts: 1, receivedAt: 1 } },
      { $limit: BATCH },
    ])
    .toArray()
  const ids = oldest.map(({ rowId }) => rowId)
  if (ids.length === 0) return false
  const found = await collection
    .find({ _id: { $in: ids as never[] } }, { projection: FIELDS, promoteBuffers: true })
    .toArray()
  const rows = await ctx.workspaceKeys.open(found as unknown as Row[])
  const published = rows.map(async (row) => {
    reading.add(row.workspaceId)
    try {
      return await publishOne(ctx, row)
    } finally {
      reading.delete(row.workspaceId)
    }
  })
  const all = Promise.allSettled(published)
  const outcomes = await Promise.race([all, sleep(ROUND_MS, undefined, { ref: false })])
  if (outcomes === undefined) {
    void all.then((late) => finishLater(ctx, late))
    return true
  }
  const failure = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failure !== undefined) throw failure.reason
  return outcomes.some((outcome) => outcome.status === 'fulfilled' && outcome.value)
}

function finishLater(ctx: Context, outcomes: readonly PromiseSettledResult<boolean>[]): void {
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') ctx.logger.warn(describeError(outcome.reason), FAILURE)
  ctx.wake.calendar()
}

/** False to try again later. */
async function publishOne(ctx: Context, row: Row): Promise<boolean> {
  const { _id, workspaceId, size, calendarAttempts = 0, calendarFailures = 0 } = row
  const isGivenUp = calendarAttempts >= MAX_ATTEMPTS || calendarFailures >= MAX_FAILURES
  if (!isGivenUp) {
    using memory = await ctx.mailMemory.takeWhenFree(
      [workspaceId],
      MEMORY_FACTOR * size,
      AbortSignal.timeout(MEMORY_WAIT_MS),
    )
    if (memory === undefined) return false
    // Counted first: an attempt may end the process.
    await ctx.messages.updateOne({ _id }, { $inc: { calendarAttempts: 1 } })
    const found = await readEvents(ctx, row)
    if (found === undefined) return false
    await storeCalendar(ctx, row, found.files)
    if (found.planned.length > 0) await publish(ctx, row, found.planned)
    for (const loss of lossesOf(found.files)) losses.inc({ loss })
  } else {
    await storeCalendar(ctx, row, row.attachments.flatMap(unreadable))
    losses.inc({ loss: 'all' })
  }
  await ctx.messages.updateOne({ _id }, { $unset: { calendarPending: 1, calendarAttempts: 1, calendarFailures: 1 } })
  return true
}

/** The page of the message says so, and offers to add the appointment by hand. */
function unreadable(meta: AttachmentMeta): FileOfCalendar[] {
  if (previewKind(meta) !== PreviewKind.INVITATION) return []
  return [{ sha256: meta.sha256, events: [], losses: ['all'] }]
}

/** Undefined to try again later. Only what costs a thread counts as a failure of the file. */
async function readEvents(ctx: Context, row: Row): Promise<MailCalendar | undefined> {
  const raw = await readOriginal(ctx, row)
  if (raw === null) return { files: [], planned: [] }
  try {
    return await ctx.mailOpener.calendar(row.workspaceId, raw, row.receivedAt)
  } catch (error) {
    ctx.logger.warn(describeError(error), 'a calendar file could not be read')
    if (hasEndedThread(error)) await ctx.messages.updateOne({ _id: row._id }, { $inc: { calendarFailures: 1 } })
    return undefined
  }
}

/** False when this process ends: then a task is aborted for another reason. */
function hasEndedThread(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  return code === 'ERR_WORKER_OUT_OF_MEMORY' || (cause instanceof Error && cause.name === 'TimeoutError')
}

/** The file was read, so an outage of the stream does not count. */
async function publish(ctx: Context, row: Row, events: CalendarEvent[]): Promise<void> {
  try {
    await ctx.calendarChanges.publish(toChange(row, events))
    crashPoint('events-published')
  } catch (error) {
    await ctx.messages.updateOne({ _id: row._id }, { $unset: { calendarAttempts: 1 } })
    throw error
  }
}

function toChange(row: Row, events: CalendarEvent[]) {
  const { workspaceId, lovedOneId, receivedAt } = row
  const { sender, proof } = senderOf(row)
  return {
    workspaceId,
    lovedOneId,
    messageId: publicIdOf(row),
    senderAddress: sender.address.toLowerCase(),
    senderName: nameOfSender(sender),
    proof,
    receivedAt,
    events,
    withdrawn: false,
  }
}
