import type { Context } from '../context.ts'
import type { DeadEvent } from '../models/dead-event.ts'

/** As many are held in memory at a time. */
const CHUNK = 20

type Dead = DeadEvent & Required<Pick<DeadEvent, 'diedAt' | 'message' | 'subject'>>

/**
 * Sends dead events again, oldest first.
 * @param eventIds none for all
 * @param deadline milliseconds since 1970; none is sent later
 * @returns how many were sent
 */
export async function replayDeadEvents(ctx: Context, eventIds: string[], deadline: number): Promise<number> {
  const begun = new Date()
  let replayed = 0
  for (;;) {
    // What dies again meanwhile is not sent a second time.
    const filter = { diedAt: { $lt: begun }, ...(eventIds.length > 0 && { _id: { $in: eventIds } }) }
    const rows = await ctx.deadEvents.find(filter).sort({ diedAt: 1, _id: 1 }).limit(CHUNK).lean<Dead[]>()
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
  await ctx.deadEvents.updateOne({ _id, diedAt }, { $set: { tries: 0 } })
  // Under its own id the stream might take it for the one it has had.
  await ctx.eventStream.publish(subject, `${_id} ${diedAt.getTime()}`, Buffer.from(message, 'base64'))
  await ctx.deadEvents.deleteOne({ _id, diedAt })
}
