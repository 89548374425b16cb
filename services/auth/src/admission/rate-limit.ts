import { createHmac } from 'node:crypto'
import { upsertOnce } from '@family-inbox/service-kit/mongo/rows'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { formatWait } from '@family-inbox/service-kit/text/format-wait'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { RateLimit } from '../models/rate-limit.ts'
import { toRetryAfterSec, type Window, waitMs, withNow } from './sliding-window.ts'

/** A limit for each subject, such as an address or a network. Every window must have capacity. */
export type Limit = { name: string; windows: readonly [Window, ...Window[]] }

/** A refused request is not counted, so the wait is exact. @throws StatusError RESOURCE_EXHAUSTED with `retryAfterSec` */
export async function enforceRateLimit(ctx: Context, limit: Limit, subject: string): Promise<void> {
  const _id = keyedHash(ctx, limit.name, subject)
  // Read first: a flood is refused without queueing for a write.
  const wait = (await readWait(ctx, limit, _id)) || (await countUnlessLimited(ctx, limit, _id))
  if (wait <= 0) return
  const retryAfterSec = toRetryAfterSec(wait)
  throw new StatusError('RESOURCE_EXHAUSTED', `Too many attempts. Try again in ${formatWait(retryAfterSec)}.`, {
    retryAfterSec,
  })
}

async function readWait(ctx: Context, { windows }: Limit, _id: string): Promise<number> {
  const [row] = await ctx.rateLimits.aggregate<Pick<RateLimit, 'waitMs'>>([
    { $match: { _id } },
    { $project: { waitMs: longestWait(windows) } },
  ])
  return Math.max(0, row?.waitMs ?? 0)
}

async function countUnlessLimited(ctx: Context, { windows }: Limit, _id: string): Promise<number> {
  const keep = Math.max(...windows.map(({ limit }) => limit))
  const longest = Math.max(...windows.map(({ ms }) => ms))
  const row = await upsertOnce(() =>
    ctx.rateLimits.collection.findOneAndUpdate(
      { _id: _id as never },
      [
        { $set: { times: { $ifNull: ['$times', []] } } },
        { $set: { waitMs: longestWait(windows) } },
        {
          $set: {
            times: { $cond: [{ $lte: ['$waitMs', 0] }, withNow('$times', keep), '$times'] },
            expiresAt: { $add: ['$$NOW', longest] },
          },
        },
      ],
      { upsert: true, returnDocument: 'after', projection: { waitMs: 1 }, writeConcern: { w: 1 } },
    ),
  )
  return (row as unknown as Pick<RateLimit, 'waitMs'>).waitMs
}

function longestWait(windows: readonly Window[]): object {
  return { $max: windows.map((window) => waitMs('$times', window)) }
}

/** Keyed: IP addresses are few enough that a plain hash could be reversed. */
function keyedHash({ config }: Context, name: string, subject: string): string {
  return createHmac('sha256', config.limitKey).update(`${name}\n${subject}`).digest('hex')
}

/** Above this limit nothing is counted or limited. */
const MAX_COUNTED = 1000

/** Times as many as in 15 minutes: 500 by default. */
const CODES_A_DAY = 25 / 3

const MINUTE_MS = 60_000

/** Codes mailed to one address: enough for typing errors, too few for guessing or harassment. */
export const CODES_TO_ADDRESS: Limit = {
  name: 'codes to address',
  windows: [
    { limit: 5, ms: 15 * MINUTE_MS },
    { limit: 20, ms: DAY_MS },
  ],
}

/** Separate, so that strangers cannot exhaust it. */
export const CODES_TO_KNOWN_DEVICE: Limit = { name: 'codes to known device', windows: CODES_TO_ADDRESS.windows }

export const CODES_TO_CONFIRM: Limit = { name: 'codes to confirm', windows: CODES_TO_ADDRESS.windows }

export const FORMS_OF_PERSON: Limit = { name: 'forms of person', windows: [{ limit: 60, ms: MINUTE_MS }] }

/** Mail providers send one-click unsubscribes for many users from few addresses. */
export const FORMS_FROM_NETWORK: Limit = { name: 'forms from network', windows: [{ limit: 300, ms: MINUTE_MS }] }

export const EXPORTS_OF_PERSON: Limit = {
  name: 'exports of person',
  windows: [
    { limit: 5, ms: 60 * MINUTE_MS },
    { limit: 10, ms: DAY_MS },
  ],
}

export const CLIENT_DOCUMENTS_FROM_NETWORK: Limit = {
  name: 'client documents from network',
  windows: [{ limit: 100, ms: 15 * MINUTE_MS }],
}

export function codesFromNetwork({ codesPerNetwork }: Config): Limit | undefined {
  if (codesPerNetwork > MAX_COUNTED) return undefined
  const aDay = Math.min(MAX_COUNTED, Math.round(codesPerNetwork * CODES_A_DAY))
  return {
    name: 'codes from network',
    windows: [
      { limit: codesPerNetwork, ms: 15 * MINUTE_MS },
      { limit: aDay, ms: DAY_MS },
    ],
  }
}

/** Hosted assistants register one client for each user, from few addresses. */
export function registrationsFromNetwork({ registrationsPerHour }: Config): Limit | undefined {
  return limitOf('registrations from network', registrationsPerHour, 60 * MINUTE_MS)
}

export function authorizationsFromNetwork({ oauthRequestsPerMinute }: Config): Limit | undefined {
  return limitOf('authorizations from network', oauthRequestsPerMinute, MINUTE_MS)
}

export function tokenRequestsFromNetwork({ oauthRequestsPerMinute }: Config): Limit | undefined {
  return limitOf('token requests from network', oauthRequestsPerMinute, MINUTE_MS)
}

function limitOf(name: string, limit: number, ms: number): Limit | undefined {
  return limit > MAX_COUNTED ? undefined : { name, windows: [{ limit, ms }] }
}
