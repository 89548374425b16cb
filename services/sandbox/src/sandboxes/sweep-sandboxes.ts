import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import type { Context } from '../context.ts'
import type { Sandbox } from '../models/sandbox.ts'
import { finishClaim } from './finish-claim.ts'
import { completeSandboxes } from './make-sandboxes.ts'
import { removeSandboxes } from './remove-sandboxes.ts'

const SWEEP_EVERY_MS = 1000
/** So many a second at most, however many have expired: whoever uses the service must not feel it. */
const MOST_AT_ONCE = 50
/** What could not be dealt with is taken up again after this. */
const AGAIN_MS = 30_000
const COMPLETED_WITHIN_MS = 5000

/**
 * Deals, every second, with the sandboxes that are due: those that have expired or could not be made are removed, those
 * that a crash left half made are completed, and claims that were left half-way are settled. Any number of replicas may sweep; each step may be done twice.
 */
export function startSandboxSweeper(ctx: Context): AsyncDisposable {
  const trouble = 'sandboxes that are due could not be dealt with yet'
  return startSweeper({
    everyMs: SWEEP_EVERY_MS,
    sweep: () => sweepOnce(ctx),
    failureMessage: trouble,
    logger: ctx.logger,
  })
}

async function sweepOnce(ctx: Context): Promise<false> {
  const due = await takeUp(ctx)
  if (due.length === 0) return false
  const over = due.filter(({ state }) => state !== 'claiming' && state !== 'making').map(({ _id }) => _id)
  await ctx.sandboxes.updateMany({ _id: { $in: over }, state: 'open' }, { $set: { state: 'removing' } })
  const removing = await ctx.sandboxes.find({ _id: { $in: over }, state: 'removing' }, { _id: 1 }).lean()
  await removeSandboxes(
    ctx,
    removing.map(({ _id }) => _id),
  )
  await settleClaims(
    ctx,
    due.filter(({ state }) => state === 'claiming').map(({ _id }) => _id),
  )
  const halfMade = due.filter(({ state }) => state === 'making')
  await completeSandboxes(ctx, halfMade, Date.now() + COMPLETED_WITHIN_MS)
  return false
}

/** The longest due, put off so that another replica does not take them up as well. */
async function takeUp(ctx: Context): Promise<Sandbox[]> {
  const now = Date.now()
  const due = await ctx.sandboxes
    .find({ dueAt: { $lte: new Date(now) } })
    .sort({ dueAt: 1 })
    .limit(MOST_AT_ONCE)
    .lean()
  if (due.length === 0) return []
  const { modifiedCount } = await ctx.sandboxes.updateMany(
    { _id: { $in: due.map(({ _id }) => _id) }, dueAt: { $lte: new Date(now) } },
    { $set: { dueAt: new Date(now + AGAIN_MS) } },
  )
  return modifiedCount === 0 ? [] : due
}

/**
 * Finds out how claims ended that were begun and not finished: care-circle knows. What nobody owns is open again, until it
 * expires.
 * @param workspaceIds of rows whose state is `claiming`
 */
async function settleClaims(ctx: Context, workspaceIds: string[]): Promise<void> {
  if (workspaceIds.length === 0) return
  const unclaimed = await ctx.careCircle.listUnclaimedWorkspaces({ workspaceIds })
  await ctx.sandboxes.collection.updateMany({ _id: { $in: unclaimed.workspaceIds as never[] }, state: 'claiming' }, [
    { $set: { state: 'open', dueAt: '$expiresAt' } },
  ])
  for (const id of workspaceIds) if (!unclaimed.workspaceIds.includes(id)) await finishClaim(ctx, id)
}
