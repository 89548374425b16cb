import type { FinishSignInResponse } from '@family-inbox/proto/auth/v1/auth'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Context } from '../context.ts'
import { asPerson, findSession } from '../shell/session.ts'
import type { RedirectReply, Visit } from '../shell/visit.ts'

/** Nearly as long as browsers keep a cookie: they stop at 400 days. */
const DEVICE_SECONDS = 390 * 24 * 60 * 60

/** Gives the browser the session that auth has begun. One it had before is ended, not carried over. */
export async function beginVisitSession(
  ctx: Context,
  visit: Visit,
  { session, expiresAt, device = '' }: FinishSignInResponse,
  redirectTo: string,
): Promise<RedirectReply> {
  await endFormerSession(ctx, visit)
  const maxAgeSec = expiresAt ? Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000)) : undefined
  return {
    redirectTo,
    cookies: [
      { name: 'session', value: session, maxAgeSec },
      { name: 'device', value: device, maxAgeSec: DEVICE_SECONDS },
      { name: 'signIn' },
    ],
  }
}

/** A sign-in that has succeeded does not fail because the session before it could not be ended. */
async function endFormerSession(ctx: Context, visit: Visit): Promise<void> {
  try {
    const former = await findSession(ctx, visit)
    if (former) await ctx.auth.revokeSessions({ sessionId: former.sessionId }, asPerson(former, visit))
  } catch (error) {
    ctx.logger.warn(describeError(error), 'the session before a sign-in was not ended')
  }
}
