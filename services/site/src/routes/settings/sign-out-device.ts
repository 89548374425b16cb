import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { asPerson } from '../../session.ts'
import { notFound } from '../../settings/not-found.ts'

/** Ends one of the reader's sessions; their own one leads out. */
export function signOutDevice(ctx: Context): HouseholdHandler {
  return async (visit, { session }) => {
    const sessionId = visit.field('session').slice(0, 128)
    // Empty would mean all of them to auth.
    if (sessionId === '') throw notFound()
    await ctx.auth.revokeSessions({ sessionId }, asPerson(session, visit))
    if (sessionId === session.sessionId) return { redirectTo: '/signed-out', cookies: [{ name: 'session' }] }
    return { redirectTo: '/settings/devices', notice: 'device-signed-out' }
  }
}
