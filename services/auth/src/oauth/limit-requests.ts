import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { enforceRateLimit, type Limit } from '../admission/rate-limit.ts'
import type { Context } from '../context.ts'
import { answerError } from './errors.ts'

/** @returns true when it was over the limit and has been answered */
export async function limitRequests(
  ctx: Context,
  limit: Limit,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<boolean> {
  try {
    await enforceRateLimit(ctx, limit, callerNetwork(req.headers))
    return false
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    answerTooMany(req, res, 'from this network', error)
    return true
  }
}

export function answerTooMany(req: IncomingMessage, res: ServerResponse, who: string, { detail }: StatusError): void {
  const retryAfterSec = detail.retryAfterSec ?? 1
  const reason = {
    error: 'temporarily_unavailable',
    error_description: `too many requests ${who}: try again in ${retryAfterSec} s`,
  }
  answerError(req, res, 429, reason, { 'retry-after': String(retryAfterSec) })
}

/** The gateway adds the last X-Forwarded-For entry; the caller may forge the others. */
export function callerNetwork(headers: IncomingHttpHeaders): string {
  const hops = String(headers['x-forwarded-for'] ?? '').split(',')
  return clientNetwork(hops.at(-1)?.trim() ?? '')
}
