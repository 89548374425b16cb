import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { deleteRows } from '@family-inbox/service-kit/mongo/rows'
import { announceRemoval } from '@family-inbox/workspace-kit/removals'
import type { Context } from '../context.ts'
import type { Removal } from '../models/removal.ts'

/** How long the call that deleted a household, or ended a membership, has to say so itself. */
export const TOLD_WITHIN_MS = 5000
const SWEEP_EVERY_MS = 2000

/** Has every service forget a household or an ended membership, and notes that they will. */
export async function sayRemoved(ctx: Context, { _id, kind }: Pick<Removal, '_id' | 'kind'>): Promise<void> {
  const { natsReplicas } = ctx.config
  await announceRemoval({ connection: ctx.mailQueue.connection, natsReplicas, identity: ctx.identity }, kind, _id)
  await ctx.removals.deleteOne({ _id })
}

/** Says, every two seconds, what a crash or an absent NATS left unsaid. Any number of replicas may: saying it twice is no harm. */
export function startRemovalSweeper(ctx: Context): AsyncDisposable {
  const trouble = 'that something is removed cannot be said yet'
  return startSweeper({
    everyMs: SWEEP_EVERY_MS,
    sweep: () => sayDue(ctx),
    failureMessage: trouble,
    logger: ctx.logger,
  })
}

async function sayDue(ctx: Context): Promise<false> {
  const due = await ctx.removals
    .find({ dueAt: { $lte: new Date() } })
    .limit(100)
    .lean()
  for (const { _id, kind = 'workspace' } of due) await sayRemoved(ctx, { _id, kind })
  return false
}

/** Deletes what is left of a household here: what may be too much for one transaction, and what came while it ended. */
export async function removeWorkspace(ctx: Context, workspaceId: string): Promise<void> {
  const { careEvents, deadLetters, invitations, providerCodes, lovedOnes, members } = ctx
  // Loved ones first: an event of one who is gone is dropped, so that none comes after its deletion.
  for (const { collection } of [lovedOnes, careEvents, deadLetters, invitations, providerCodes, members])
    await deleteRows(collection, { workspaceId })
  // The invited address is in their keys.
  const allowances = { $gte: `address/${workspaceId}/`, $lt: `address/${workspaceId}0` }
  await ctx.mailAllowances.deleteMany({ $or: [{ _id: `household/${workspaceId}` }, { _id: allowances }] })
}
