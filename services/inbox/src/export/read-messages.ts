import type { Context } from '../context.ts'
import type { Message } from '../models/message.ts'

/** Rows read at once: each may hold an original of 64 KB. */
const AT_ONCE = 50

/**
 * A household's messages, one loved one's after the other's. Each page is a look-up of its own by key, so a reader may take
 * as long as their line needs, and what arrives meanwhile does no harm.
 */
export async function* readMessages(ctx: Context, workspaceId: string): AsyncGenerator<Message> {
  let last = `${workspaceId}/`
  for (;;) {
    // The driver's own: it hands out the originals' bytes as they are.
    const page = (await ctx.messages.collection
      .find({ _id: { $gt: last, $lt: `${workspaceId}0` } as never }, { promoteBuffers: true })
      .sort({ _id: 1 })
      .limit(AT_ONCE)
      .toArray()) as unknown as Message[]
    yield* page
    if (page.length < AT_ONCE) return
    last = page.at(-1)?._id ?? last
  }
}
