import type { Context } from '../context.ts'
import { homeReply } from '../home-reply.ts'
import type { SignedInHandler } from '../session.ts'

/** Shows the household the session is in; without one, the way to one. */
export function showHome(ctx: Context): SignedInHandler {
  return (visit, session) => homeReply(ctx, visit, session)
}
