import type { Context } from '../context.ts'
import type { Cookie } from './cookies.ts'
import { asPerson } from './session.ts'
import { type Visit, withTimeout } from './visit.ts'

/** A page with times of UTC is better than a slow one. */
const TIMEOUT_MS = 400

/** Of a browser that has not said its time zone, as without scripts: the one from the reader's settings, from this page on. */
export async function withStoredZone(
  ctx: Context,
  visit: Visit,
  session: Parameters<typeof asPerson>[0],
): Promise<{ visit: Visit; cookies: Cookie[] }> {
  if (visit.cookies.timeZone !== '') return { visit, cookies: [] }
  const call = asPerson(session, withTimeout(visit, TIMEOUT_MS))
  const stored = await ctx.inbox.getNotifications({}, call).catch(() => undefined)
  if (stored === undefined) return { visit, cookies: [] }
  const timeZone = stored.timeZone || 'UTC'
  return {
    visit: { ...visit, clock: { ...visit.clock, timeZone } },
    cookies: [{ name: 'timeZone', value: timeZone }],
  }
}
