import { createHmac } from 'node:crypto'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from './context.ts'
import { refundOne, type TokenBucket } from './models/bucket.ts'

/** Refused arguments have a bucket of their own: ten times as many tokens, refilled ten times as fast. */
const REFUSED_PER_START = 10

type Purpose = 'starts' | 'refused starts'

/** Takes a token, or throws RESOURCE_EXHAUSTED with the seconds until the next one. */
export async function spendToken(ctx: Context, purpose: Purpose, network: string): Promise<void> {
  const wait = await ctx.takeToken(bucketId(ctx, purpose, network), bucketFor(ctx, purpose))
  if (wait === undefined) return
  throw new StatusError('RESOURCE_EXHAUSTED', 'Too many workspaces were started from your network.', {
    retryAfterSec: Math.max(1, Math.ceil(wait / 1000)),
  })
}

/** Returns the token of a start that failed on our side. */
export async function refundToken(ctx: Context, network: string): Promise<void> {
  await refundOne(ctx.buckets, bucketId(ctx, 'starts', network), ctx.config.bucket)
}

function bucketFor({ config }: Context, purpose: Purpose): TokenBucket {
  const { capacity, refillMs } = config.bucket
  if (purpose === 'starts') return config.bucket
  return { capacity: capacity * REFUSED_PER_START, refillMs: Math.ceil(refillMs / REFUSED_PER_START) }
}

/** Addresses are few enough to enumerate, so a plain hash would hide nothing. */
function bucketId({ config }: Context, purpose: Purpose, network: string): string {
  return createHmac('sha256', config.networkKey).update(`${purpose}\n${network}`).digest('base64url')
}
