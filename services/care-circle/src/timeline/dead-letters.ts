import { createHash } from 'node:crypto'
import type { AcceptedEvent } from '@family-inbox/proto/careevents/v1/care_event'
import type { Context } from '../context.ts'
import type { DeadLetter } from '../models/dead-letter.ts'
import { plainLine } from './plain-note.ts'
import { isId, isTime, UnreadableEvent } from './read-event.ts'

/** How long to wait after each try but the last. */
const DELAYS_MS = [200, 500, 1500, 3000]
const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1000
const MAX_SHOWN = 200

/** A message of the stream as far as its trouble concerns. */
type Message = { data: Uint8Array; subject: string; arrivedAt: Date }

/**
 * Notes that a message could not be dealt with for a reason of its own. Tries are counted here and not by the stream, which
 * counts also those that an outage has cost. After the last one the message is kept among the dead.
 * @param event absent for a message that cannot be read
 * @returns milliseconds after which to try again; undefined when it is dead, and safely kept
 */
export async function noteTrouble(
  ctx: Context,
  message: Message,
  event: AcceptedEvent | undefined,
  error: unknown,
): Promise<number | undefined> {
  const { _id, ...about } = describe(message, event)
  const forgetAt = new Date(Date.now() + FORGOTTEN_AFTER_MS)
  const { tries } = await ctx.deadLetters
    .findOneAndUpdate(
      { _id },
      { $inc: { tries: 1 }, $set: { ...about, reason: reasonOf(error) }, $setOnInsert: { forgetAt } },
      { upsert: true, returnDocument: 'after' },
    )
    .lean()
    .orFail()
  const delay = DELAYS_MS[tries - 1]
  if (delay === undefined) await tombstone(ctx, { _id, linkId: about.linkId }, message)
  return delay
}

async function tombstone(
  ctx: Context,
  { _id, linkId }: Pick<DeadLetter, '_id' | 'linkId'>,
  message: Message,
): Promise<void> {
  const kept = { diedAt: new Date(), message: Buffer.from(message.data).toString('base64'), subject: message.subject }
  await ctx.deadLetters.updateOne({ _id }, { $set: kept, $unset: { forgetAt: 1 } })
  // As on a timeline, what is kept after a purge is taken away by whoever kept it.
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

/** Never the message of an error we did not write: it may quote what the event holds. */
function reasonOf(error: unknown): string {
  if (error instanceof UnreadableEvent) return error.message
  return error instanceof Error ? error.name : typeof error
}

/** As many are held in memory at a time. */
const CHUNK = 20

type Dead = DeadLetter & Required<Pick<DeadLetter, 'diedAt' | 'message' | 'subject'>>

/**
 * Sends dead events again, oldest first.
 * @param eventIds none for all
 * @param deadline milliseconds since 1970; none is sent later
 * @returns how many were sent
 */
export async function replayDeadLetters(ctx: Context, eventIds: string[], deadline: number): Promise<number> {
  const begun = new Date()
  let replayed = 0
  for (;;) {
    // What dies again meanwhile is not sent a second time.
    const filter = { diedAt: { $lt: begun }, ...(eventIds.length > 0 && { _id: { $in: eventIds } }) }
    const rows = await ctx.deadLetters.find(filter).sort({ diedAt: 1, _id: 1 }).limit(CHUNK).lean<Dead[]>()
    if (rows.length === 0) return replayed
    for (const row of rows) {
      if (Date.now() > deadline) return replayed
      await sendAgain(ctx, row)
      replayed += 1
    }
  }
}

/** The row goes only when the stream has the event: whoever dies in between leaves it to be replayed once more. */
async function sendAgain(ctx: Context, { _id, diedAt, message, subject }: Dead): Promise<void> {
  await ctx.deadLetters.updateOne({ _id, diedAt }, { $set: { tries: 0 } })
  // Under its own id the stream might take it for the one it has had.
  await ctx.eventStream.publish(subject, `${_id} ${diedAt.getTime()}`, Buffer.from(message, 'base64'))
  await ctx.deadLetters.deleteOne({ _id, diedAt })
}
