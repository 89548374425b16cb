import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { asPerson } from '../../session.ts'

/** Ends all of the reader's sessions, this one included. */
export function signOutEverywhere(ctx: Context): HouseholdHandler {
  return async (visit, { session }) => {
    await ctx.auth.revokeSessions({ sessionId: '' }, asPerson(session, visit))
    return { redirectTo: '/signed-out', cookies: [{ name: 'session' }] }
  }
}
