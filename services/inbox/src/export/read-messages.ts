import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import type { Message } from '../models/message.ts'

/** Rows read at once: each may hold an original of 64 KB. */
const AT_ONCE = 50
/** A download of many minutes is not given up for a moment in which the database is away. */
const TRIES = 5
const AGAIN_MS = 1000

/**
 * A household's messages, one loved one's after the other's. Each page is a look-up of its own by key, so a reader may take
 * as long as their line needs, and what arrives meanwhile does no harm.
 */
export async function* readMessages(ctx: Context, workspaceId: string): AsyncGenerator<Message> {
  let last = `${workspaceId}/`
  for (;;) {
    const page = await readPage(ctx, { $gt: last, $lt: `${workspaceId}0` })
    yield* page
    if (page.length < AT_ONCE) return
    last = page.at(-1)?._id ?? last
  }
}

/** The driver's own look-up: it hands out the originals' bytes as they are. */
async function readPage(ctx: Context, keys: { $gt: string; $lt: string }, tries = TRIES): Promise<Message[]> {
  try {
    const rows = ctx.messages.collection.find({ _id: keys as never }, { promoteBuffers: true })
    return (await rows.sort({ _id: 1 }).limit(AT_ONCE).toArray()) as unknown as Message[]
  } catch (error) {
    if (tries <= 1) throw error
    await sleep(AGAIN_MS)
    return readPage(ctx, keys, tries - 1)
  }
}
