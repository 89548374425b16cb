import type { Context } from '../context.ts'
import { asPerson, type SignedInHandler } from '../session.ts'

/** Gives a loved one their address; the same again when they have one. */
export function allocateAddress(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    await ctx.inbox.allocateInboxAddress({ lovedOneId: visit.param('id').slice(0, 128) }, asPerson(session, visit))
    return { redirectTo: '/' }
  }
}
