import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { deleteRows } from '@family-inbox/service-kit/mongo/rows'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { announceRemoval } from '@family-inbox/workspace-kit/removals'
import type { Context } from '../context.ts'
import type { AccountRemoval } from '../models/account-removal.ts'
import type { Grant } from '../models/grant.ts'

/** How long the call that asked for it has; afterwards, how long a sweeper that took it up has. */
export const REMOVED_WITHIN_MS = 10_000

/**
 * Deletes an account, step by step, each of which may be done again: the person leaves every household, all that opens a door
 * for them ends, the other services forget them, and the person goes last. What their assistants did in a household that
 * goes on stays in its record, under an id that is nobody's.
 * @param deadline milliseconds since 1970, for care-circle's answer
 * @throws StatusError FAILED_PRECONDITION while they are the last owner of a household; then nothing was done
 */
export async function removeAccount(ctx: Context, removal: AccountRemoval, deadline?: number): Promise<void> {
  const { _id: personId, email } = removal
  try {
    await ctx.careCircle.leaveWorkspaces({ personId }, { deadline })
  } catch (error) {
    if (error instanceof StatusError && error.status === 'FAILED_PRECONDITION')
      await ctx.accountRemovals.deleteOne({ _id: personId })
    throw error
  }
  await ctx.sessions.deleteMany({ personId })
  await ctx.passkeys.deleteMany({ personId })
  await ctx.toolKeys.deleteMany({ personId })
  await removeGrants(ctx, { personId })
  await ctx.signInChallenges.deleteMany({ email })
  const { natsReplicas } = ctx.config
  await announceRemoval(
    { connection: ctx.mailQueue.connection, natsReplicas, identity: ctx.identity },
    'person',
    personId,
  )
  await ctx.people.deleteOne({ _id: personId })
  await ctx.accountRemovals.deleteOne({ _id: personId })
}

const SWEEP_EVERY_MS = 2000

/** Goes on, every two seconds, with deleting accounts where a crash left off. Any number of replicas may. */
export function startAccountSweeper(ctx: Context): AsyncDisposable {
  // One that cannot be deleted is due again in a while, and never holds up the others.
  const trouble = 'an account is not deleted yet'
  return startSweeper({
    everyMs: SWEEP_EVERY_MS,
    sweep: () => removeNext(ctx),
    failureMessage: trouble,
    logger: ctx.logger,
  })
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

/** Deletes grants with all that was issued under them. */
async function removeGrants(ctx: Context, match: Partial<Pick<Grant, 'personId' | 'workspaceId'>>): Promise<void> {
  const grants = await ctx.grants.find(match, { _id: 1 }).lean()
  const ids = grants.map(({ _id }) => _id)
  await ctx.grants.deleteMany({ _id: { $in: ids } })
  await ctx.oauthRecords.deleteMany({ grantId: { $in: ids } })
}

/** Deletes the keys, the applications and the record of calls of a household; sessions in it choose another. */
export async function removeWorkspace(ctx: Context, workspaceId: string): Promise<void> {
  await ctx.toolKeys.deleteMany({ workspaceId })
  await removeGrants(ctx, { workspaceId })
  await ctx.sessions.updateMany({ workspaceId }, { workspaceId: '' })
  await deleteRows(ctx.calls.collection, { workspaceId })
}
