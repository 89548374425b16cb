import type { Context } from '../context.ts'
import { sandboxReply } from '../sandbox-reply.ts'
import type { SignedInHandler } from '../session.ts'

/** Shows what an assistant opened for this person, and offers to take it over. */
export function showSandbox(ctx: Context): SignedInHandler {
  return (visit, session) => sandboxReply(ctx, visit, session)
}
