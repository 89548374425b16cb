import { startSweeper } from '@family-inbox/service-kit/sweep'
import type { Context } from '../context.ts'
import { REMOVED_WITHIN_MS, removeAccount } from './remove-account.ts'

const SWEEP_EVERY_MS = 2000

/** Goes on, every two seconds, with deleting accounts where a crash left off. Any number of replicas may. */
export function startAccountSweeper(ctx: Context): AsyncDisposable {
  // One that cannot be deleted is due again in a while, and never holds up the others.
  const trouble = 'an account is not deleted yet'
  return startSweeper({ everyMs: SWEEP_EVERY_MS, sweep: () => removeNext(ctx), trouble, logger: ctx.logger })
}

/** Whether there was one to go on with. */
async function removeNext(ctx: Context): Promise<boolean> {
  const now = Date.now()
  const due = await ctx.accountRemovals
    .findOneAndUpdate(
      { dueAt: { $lte: new Date(now) } },
      { $set: { dueAt: new Date(now + REMOVED_WITHIN_MS) } },
      { sort: { dueAt: 1 } },
    )
    .lean()
  if (due) await removeAccount(ctx, due)
  return due !== null
}
