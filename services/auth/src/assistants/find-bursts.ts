import type { CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import { ASSISTANT_KINDS, assistantsOf, DONE, markAlarm, WRITE_TOOLS } from './alarms.ts'

const PAUSE_MS = 20_000
const WINDOW_MS = 10 * 60_000

/** In ten minutes. Half of what the call limit allows, and more than most families send in a day. */
export const MOST_READS = 300
export const MOST_WRITES = 10

/** Reads the recorded calls, so no call waits for it. Safe on any number of replicas: one marks each burst. */
export function findBursts(ctx: Context): AsyncDisposable {
  const failureMessage = 'could not look for bursts of calls; will retry'
  return startSweeper({ pauseMs: PAUSE_MS, sweep: () => markBursts(ctx), failureMessage, logger: ctx.logger })
}

export async function markBursts(ctx: Context): Promise<boolean> {
  const since = new Date(Date.now() - WINDOW_MS)
  const isWrite = { $in: ['$tool', WRITE_TOOLS] }
  const bursts = await ctx.auditEntries.aggregate<{ _id: { id: string; kind: CredentialKind } }>([
    {
      $match: {
        startedAt: { $gt: since },
        kind: { $in: ASSISTANT_KINDS },
        outcome: { $in: DONE },
        tool: { $ne: 'ping' },
      },
    },
    {
      $group: {
        _id: { id: '$credentialId', kind: '$kind' },
        writes: { $sum: { $cond: [isWrite, 1, 0] } },
        reads: { $sum: { $cond: [isWrite, 0, 1] } },
      },
    },
    { $match: { $or: [{ writes: { $gt: MOST_WRITES } }, { reads: { $gt: MOST_READS } }] } },
  ])
  for (const { _id } of bursts)
    await assistantsOf(ctx, _id.kind).updateOne(
      {
        _id: _id.id as never,
        $expr: { $lt: [{ $ifNull: ['$lastBurstAt', new Date(0)] }, { $subtract: ['$$NOW', DAY_MS] }] },
      },
      [{ $set: { lastBurstAt: '$$NOW', ...markAlarm('burst', '$$NOW') } }],
    )
  if (bursts.length > 0) ctx.wake.alarms()
  return false
}
