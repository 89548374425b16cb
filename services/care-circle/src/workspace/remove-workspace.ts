import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { deleteRows, earliest, idsBelow } from '@family-inbox/service-kit/mongo/rows'
import { proposalLimitId } from '@family-inbox/workspace-kit/proposals'
import { announceRemoval } from '@family-inbox/workspace-kit/removals'
import { deleteOwned } from '@family-inbox/workspace-kit/row-schema'
import type { Context } from '../context.ts'
import type { Removal } from '../models/removal.ts'

export const PUBLISH_GRACE_MS = 5000

export async function publishRemoval(ctx: Context, { _id, kind }: Pick<Removal, '_id' | 'kind'>): Promise<void> {
  const { natsReplicas } = ctx.config
  await announceRemoval({ connection: ctx.mailQueue.connection, natsReplicas, identity: ctx.identity }, kind, _id)
  await ctx.removals.deleteOne({ _id })
}

/** After a crash or a NATS outage. Safe on any number of replicas: consumers are idempotent. */
export function startRemovalSweeper(ctx: Context): AsyncDisposable {
  const failureMessage = 'could not announce removals; will retry'
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => earliest(ctx.removals, 'dueAt'),
    sweep: () => publishDueRemovals(ctx),
    wake: ctx.wake.removals,
    failureMessage,
    logger: ctx.logger,
  })
}

async function publishDueRemovals(ctx: Context): Promise<false> {
  const due = await ctx.removals
    .find({ dueAt: { $lte: new Date() } })
    .limit(100)
    .lean()
  for (const { _id, kind = 'workspace' } of due) await publishRemoval(ctx, { _id, kind })
  return false
}

/** Removes what was too much for one transaction, and what arrived meanwhile. */
export async function removeWorkspace(ctx: Context, workspaceId: string): Promise<void> {
  // Loved ones first: events of unknown loved ones are dropped, so none arrives after the deletion.
  await deleteRows(ctx.lovedOnes.collection, { workspaceId })
  await deleteOwned(ctx.connection, 'workspaceId', [workspaceId])
  // Their keys contain the invited address.
  const limits = idsBelow(`address/${workspaceId}`)
  await ctx.mailLimits.deleteMany({
    $or: [{ _id: { $in: [`workspace/${workspaceId}`, proposalLimitId(workspaceId)] } }, { _id: limits }],
  })
}
