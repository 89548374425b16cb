import type { FinishSignInResponse } from '@family-inbox/proto/auth/v1/auth'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Context } from '../context.ts'
import { asPerson, findSession } from '../shell/session.ts'
import type { RedirectReply, Visit } from '../shell/visit.ts'

/** Browsers cap cookie lifetimes at 400 days. */
const DEVICE_SECONDS = 390 * 24 * 60 * 60

/** Stores a new session in the browser and ends its previous one. */
export async function startSession(
  ctx: Context,
  visit: Visit,
  { session, expiresAt, device = '' }: FinishSignInResponse,
  redirectTo: string,
): Promise<RedirectReply> {
  await endPreviousSession(ctx, visit)
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

/** A failure here does not fail the sign-in. */
async function endPreviousSession(ctx: Context, visit: Visit): Promise<void> {
  try {
    const previous = await findSession(ctx, visit)
    if (previous) await ctx.auth.revokeSessions({ sessionId: previous.sessionId }, asPerson(previous, visit))
  } catch (error) {
    ctx.logger.warn(describeError(error), 'failed to end the previous session')
  }
}
