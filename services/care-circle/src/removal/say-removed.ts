import { announceRemoval } from '@family-inbox/removals/announce-removal'
import { startSweeper } from '@family-inbox/service-kit/sweep'
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
  return startSweeper({ everyMs: SWEEP_EVERY_MS, sweep: () => sayDue(ctx), trouble, logger: ctx.logger })
}

async function sayDue(ctx: Context): Promise<false> {
  const due = await ctx.removals
    .find({ dueAt: { $lte: new Date() } })
    .limit(100)
    .lean()
  for (const { _id, kind = 'household' } of due) await sayRemoved(ctx, { _id, kind })
  return false
}
