import { type CalendarEvent, SenderProof } from '@family-inbox/proto/calendar/v1/calendar_change'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { detectStreamLoss } from '@family-inbox/service-kit/nats/detect-stream-loss'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { CALENDAR_CHANGE_STREAM } from '@family-inbox/workspace-kit/calendar-changes'
import type { Context } from '../context.ts'
import { isAuthentic, type Message, messageIdOf } from '../models/message.ts'
import { ORIGINAL_FIELDS, readOriginal } from '../models/original.ts'

const SWEEP_EVERY_MS = 1000
const BATCH = 20
/** A file that ends its thread this often is a download only. */
const MAX_FAILURES = 2
/** Longer than care-circle is ever behind the stream. */
const LOST_WITHIN_MS = 30 * 86_400_000

/** Hands the events of calendar files to care-circle. A crash repeats one, which has no effect there. */
export function publishCalendarEvents(ctx: Context): AsyncDisposable {
  const failureMessage = 'events of calendar files could not be handed on; will retry'
  return startSweeper({
    everyMs: SWEEP_EVERY_MS,
    sweep: () => publishSome(ctx),
    failureMessage,
    logger: ctx.logger,
  })
}

/** What a stream loses is read from the mail again. */
export function watchCalendarStream(ctx: Context): AsyncDisposable {
  const onLoss = async () => {
    const since = new Date(Date.now() - LOST_WITHIN_MS)
    await ctx.messages.updateMany({ calendarAt: { $gte: since } }, { $set: { calendarPending: true } })
  }
  const { connection } = ctx.calendarChanges
  const { connection: database, logger } = ctx
  return detectStreamLoss({ connection, stream: CALENDAR_CHANGE_STREAM, database, onLoss, logger })
}

const FIELDS = {
  ...ORIGINAL_FIELDS,
  from: 1,
  originalSender: 1,
  forwardedByMember: 1,
  authenticity: 1,
  receivedAt: 1,
  calendarFailures: 1,
} as const

type Row = Pick<Message, '_id' | keyof typeof FIELDS>

/**
 * The oldest of each workspace, so that a cancellation follows its invitation and nobody's slow files delay another family.
 * Who sent a mail must be known before it may change anything.
 */
async function publishSome(ctx: Context): Promise<boolean> {
  const { collection } = ctx.messages
  const oldest = await collection
    .aggregate<{ rowId: string }>([
      { $match: { calendarPending: true, authenticityPending: null } },
      { $sort: { receivedAt: 1 } },
      { $group: { _id: '$workspaceId', rowId: { $first: '$_id' } } },
      { $limit: BATCH },
    ])
    .toArray()
  const ids = oldest.map(({ rowId }) => rowId)
  if (ids.length === 0) return false
  const rows = await collection
    .find({ _id: { $in: ids as never[] } }, { projection: FIELDS, promoteBuffers: true })
    .toArray()
  const outcomes = await Promise.allSettled((rows as unknown as Row[]).map((row) => publishOne(ctx, row)))
  const failure = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failure !== undefined) throw failure.reason
  return true
}

async function publishOne(ctx: Context, row: Row): Promise<void> {
  const events = await readEvents(ctx, row)
  if (events === undefined) return
  if (events.length > 0) await ctx.calendarChanges.publish(toChange(row, events))
  await ctx.messages.updateOne({ _id: row._id }, { $unset: { calendarPending: 1, calendarFailures: 1 } })
}

/** Undefined to try again later. */
async function readEvents(ctx: Context, row: Row): Promise<CalendarEvent[] | undefined> {
  const raw = await readOriginal(ctx.originals, row)
  if (raw === null) return []
  try {
    return await ctx.mailOpener.events(row.workspaceId, raw, row.receivedAt)
  } catch (error) {
    const failures = (row.calendarFailures ?? 0) + 1
    ctx.logger.warn({ failures, ...describeError(error) }, 'a calendar file could not be read')
    if (failures >= MAX_FAILURES) return []
    await ctx.messages.updateOne({ _id: row._id }, { $set: { calendarFailures: failures } })
    return undefined
  }
}

function toChange(row: Row, events: CalendarEvent[]) {
  const { workspaceId, lovedOneId, receivedAt } = row
  const { sender, proof } = senderOf(row)
  return {
    workspaceId,
    lovedOneId,
    messageId: messageIdOf(row),
    senderAddress: sender.address.toLowerCase(),
    senderName: sender.name,
    proof,
    receivedAt,
    events,
  }
}

type SenderRow = Pick<Message, 'from' | 'originalSender' | 'forwardedByMember' | 'authenticity'>

/** Of mail that a member forwarded by hand, it is the one whom the mail names. */
export function senderOf({ from, originalSender, forwardedByMember, authenticity }: SenderRow) {
  const isOriginal = originalSender?.address.toLowerCase() === from.address.toLowerCase()
  if (forwardedByMember && originalSender && !isOriginal)
    return { sender: originalSender, proof: SenderProof.FORWARDED }
  const isVerified = authenticity !== undefined && isAuthentic(authenticity)
  return { sender: from, proof: isVerified ? SenderProof.VERIFIED : SenderProof.UNSPECIFIED }
}
