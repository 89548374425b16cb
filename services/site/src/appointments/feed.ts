import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import { asSite } from '../shell/session.ts'
import type { VisitHandler } from '../shell/visit.ts'

const SUFFIX = '.ics'

/** Serves calendar programs. The address is the credential; cookies mean nothing here, and none are set. */
export function readFeed(ctx: Context): VisitHandler {
  return async (visit) => {
    const file = visit.id('file')
    const token = file.endsWith(SUFFIX) ? file.slice(0, -SUFFIX.length) : ''
    const { calendar } = await ctx.careCircle.readCalendarFeed(
      { token, clientAddress: visit.clientAddress },
      asSite(visit),
    )
    const hash = createHash('sha256').update(calendar).digest('base64url').slice(0, 27)
    return {
      headers: {
        'Content-Type': 'text/calendar; charset=utf-8',
        'Content-Disposition': 'inline; filename="care-appointments.ics"',
        // After no-store, programs would not ask whether it has changed.
        'Cache-Control': 'private, no-cache',
        ETag: `"${hash}"`,
      },
      body: calendar,
    }
  }
}
