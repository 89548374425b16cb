import type { IncomingMessage, ServerResponse } from 'node:http'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import { registrationsFromNetwork } from '../limits/limits.ts'
import { spendFromLimit } from '../limits/rate-limit.ts'
import { answerJson } from './answer-json.ts'
import { callerNetwork } from './caller-network.ts'

/** Above this many an hour nothing is limited. */
const MOST_COUNTED = 1000

/**
 * Counts a registration against the network it comes from; the gateway says which that is.
 * @returns whether there were too many, and the request is answered
 */
export async function limitRegistration(ctx: Context, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
  const perHour = ctx.config.registrationsPerHour
  if (req.method !== 'POST' || perHour > MOST_COUNTED) return false
  try {
    await spendFromLimit(ctx, registrationsFromNetwork(perHour), callerNetwork(req.headers))
    return false
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    const retryAfterSec = error.detail.retryAfterSec ?? 1
    answerJson(
      res,
      429,
      {
        error: 'temporarily_unavailable',
        error_description: `too many registrations: try again in ${retryAfterSec} s`,
      },
      { 'retry-after': String(retryAfterSec) },
    )
    return true
  }
}
