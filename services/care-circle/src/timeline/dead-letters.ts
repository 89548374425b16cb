import { createHash } from 'node:crypto'
import type { AcceptedEvent } from '@family-inbox/proto/careevents/v1/care_event'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import type { DeadLetter } from '../models/dead-letter.ts'
import { plainLine } from './plain-note.ts'
import { isId, isTime, UnreadableEvent } from './read-event.ts'

const CHUNK = 20

const DELAYS_MS = [200, 500, 1500, 3000]
const TRIES_KEPT_MS = DAY_MS
const MAX_SHOWN = 200

type Message = { data: Uint8Array; subject: string; arrivedAt: Date }

/** Counted here, because the stream's delivery count includes outages. @returns ms until the next try, if any */
export async function recordFailure(
  ctx: Context,
  message: Message,
  event: AcceptedEvent | undefined,
  error: unknown,
): Promise<number | undefined> {
  const { _id, ...about } = describe(message, event)
  const expiresAt = new Date(Date.now() + TRIES_KEPT_MS)
  const { tries } = await ctx.deadLetters
    .findOneAndUpdate(
      { _id },
      { $inc: { tries: 1 }, $set: { ...about, reason: reasonOf(error) }, $setOnInsert: { expiresAt } },
      { upsert: true, returnDocument: 'after' },
    )
    .lean()
    .orFail()
  const delay = DELAYS_MS[tries - 1]
  if (delay === undefined) await storeDeadLetter(ctx, { _id, linkId: about.linkId }, message)
  return delay
}

async function storeDeadLetter(
  ctx: Context,
  { _id, linkId }: Pick<DeadLetter, '_id' | 'linkId'>,
  message: Message,
): Promise<void> {
  const kept = { deadAt: new Date(), message: Buffer.from(message.data).toString('base64'), subject: message.subject }
  await ctx.deadLetters.updateOne({ _id }, { $set: kept, $unset: { expiresAt: 1 } })
  // As on a timeline: whoever stores a row after a purge deletes it again.
  if (await ctx.purgedLinks.exists({ _id: linkId })) await ctx.deadLetters.deleteOne({ _id })
}

type About = Omit<DeadLetter, 'tries' | 'reason'>

function describe({ data, arrivedAt }: Message, event: Partial<AcceptedEvent> = {}): About {
  const { eventId = '', linkId = '', workspaceId = '', institutionId = '', eventType = '', receivedAt } = event
  return {
    _id: isId(eventId) ? eventId : `unreadable_${createHash('sha256').update(data).digest('hex').slice(0, 32)}`,
    linkId: plainLine(linkId, MAX_SHOWN),
    workspaceId: plainLine(workspaceId, MAX_SHOWN),
    institutionId: plainLine(institutionId, MAX_SHOWN),
    eventType: plainLine(eventType, MAX_SHOWN),
    receivedAt: isTime(receivedAt) ? receivedAt : arrivedAt,
  }
}

/** Never the message of a foreign error: it may quote content. */
function reasonOf(error: unknown): string {
  if (error instanceof UnreadableEvent) return error.message
  return error instanceof Error ? error.name : typeof error
}

type Dead = DeadLetter & Required<Pick<DeadLetter, 'deadAt' | 'message' | 'subject'>>

/** Oldest first. @param eventIds empty for all @param deadline milliseconds since 1970 @returns how many */
export async function replayDeadLetters(ctx: Context, eventIds: string[], deadline: number): Promise<number> {
  const startedAt = new Date()
  let replayed = 0
  for (;;) {
    // Excludes events that fail again meanwhile.
    const filter = { deadAt: { $lt: startedAt }, ...(eventIds.length > 0 && { _id: { $in: eventIds } }) }
    const rows = await ctx.deadLetters.find(filter).sort({ deadAt: 1, _id: 1 }).limit(CHUNK).lean<Dead[]>()
    if (rows.length === 0) return replayed
    for (const row of rows) {
      if (Date.now() > deadline) return replayed
      await sendAgain(ctx, row)
      replayed += 1
    }
  }
}

/** Deletes the row only after publishing: a crash in between replays it twice, never zero times. */
async function sendAgain(ctx: Context, { _id, deadAt, message, subject }: Dead): Promise<void> {
  await ctx.deadLetters.updateOne({ _id, deadAt }, { $set: { tries: 0 } })
  // A new message id: the stream would drop the original one as a duplicate.
  await ctx.eventStream.publish(subject, `${_id} ${deadAt.getTime()}`, Buffer.from(message, 'base64'))
  await ctx.deadLetters.deleteOne({ _id, deadAt })
}
