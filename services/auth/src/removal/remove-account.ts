import { announceRemoval } from '@family-inbox/removals/announce-removal'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import type { AccountRemoval } from '../models/account-removal.ts'
import { forgetGrants } from './forget-grants.ts'

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
  await forgetGrants(ctx, { personId })
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
