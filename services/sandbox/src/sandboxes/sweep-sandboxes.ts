import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { earliest } from '@family-inbox/service-kit/mongo/rows'
import type { Context } from '../context.ts'
import type { Sandbox } from '../models/sandbox.ts'
import { finishClaim } from './claims.ts'
import { completeSandboxes } from './create-sandboxes.ts'
import { removeSandboxes } from './remove-sandboxes.ts'

const MAX_BATCH = 50
const RETRY_MS = 30_000
const COMPLETE_TIMEOUT_MS = 5000

/** Safe on several replicas, since each step is idempotent. */
export function startSandboxSweeper(ctx: Context): AsyncDisposable {
  const failureMessage = 'due sandboxes could not be handled'
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => earliest(ctx.sandboxes, 'dueAt'),
    sweep: () => sweepOnce(ctx),
    wake: ctx.wake.sandboxes,
    failureMessage,
    logger: ctx.logger,
  })
}

async function sweepOnce(ctx: Context): Promise<boolean> {
  const due = await leaseDue(ctx)
  if (due.length === 0) return false
  const ended = due.filter(({ state }) => state !== 'claiming' && state !== 'creating').map(({ _id }) => _id)
  await ctx.sandboxes.updateMany({ _id: { $in: ended }, state: 'open' }, { $set: { state: 'removing' } })
  const removing = await ctx.sandboxes.find({ _id: { $in: ended }, state: 'removing' }, { _id: 1 }).lean()
  await removeSandboxes(
    ctx,
    removing.map(({ _id }) => _id),
  )
  await resolveClaims(
    ctx,
    due.filter(({ state }) => state === 'claiming').map(({ _id }) => _id),
  )
  const halfCreated = due.filter(({ state }) => state === 'creating')
  await completeSandboxes(ctx, halfCreated, Date.now() + COMPLETE_TIMEOUT_MS)
  return true
}

/** Takes the oldest due rows and postpones them, so that other replicas skip them. */
async function leaseDue(ctx: Context): Promise<Sandbox[]> {
  const now = Date.now()
  const due = await ctx.sandboxes
    .find({ dueAt: { $lte: new Date(now) } })
    .sort({ dueAt: 1 })
    .limit(MAX_BATCH)
    .lean()
  if (due.length === 0) return []
  const { modifiedCount } = await ctx.sandboxes.updateMany(
    { _id: { $in: due.map(({ _id }) => _id) }, dueAt: { $lte: new Date(now) } },
    { $set: { dueAt: new Date(now + RETRY_MS) } },
  )
  return modifiedCount === 0 ? [] : due
}

/** care-circle knows which claims succeeded. The others are open again until they expire. */
async function resolveClaims(ctx: Context, workspaceIds: string[]): Promise<void> {
  if (workspaceIds.length === 0) return
  const unclaimed = await ctx.careCircle.listUnclaimedWorkspaces({ workspaceIds })
  await ctx.sandboxes.collection.updateMany({ _id: { $in: unclaimed.workspaceIds as never[] }, state: 'claiming' }, [
    { $set: { state: 'open', dueAt: '$expiresAt' } },
  ])
  for (const id of workspaceIds) if (!unclaimed.workspaceIds.includes(id)) await finishClaim(ctx, id)
}
