import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { sweepDue } from '@family-inbox/service-kit/mongo/claim-due'
import { idsBelow } from '@family-inbox/service-kit/mongo/rows'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { announceRemoval, type EndedMembership } from '@family-inbox/workspace-kit/removals'
import { deleteOwned } from '@family-inbox/workspace-kit/row-schema'
import type { Context } from './context.ts'
import type { AccountRemoval } from './models/account-removal.ts'
import type { Grant } from './models/grant.ts'
import type { Person } from './models/person.ts'
import { revokeGrants } from './oauth/revoke-grants.ts'

export const REMOVAL_GRACE_MS = 10_000

/** Audit entries stay, under an id that no longer resolves. @throws StatusError FAILED_PRECONDITION for a last owner */
export async function removeAccount(ctx: Context, removal: AccountRemoval, deadline?: number): Promise<void> {
  const { _id: personId, email } = removal
  try {
    await ctx.careCircle.leaveWorkspaces({ personId }, { deadline })
  } catch (error) {
    if (error instanceof StatusError && error.status === 'FAILED_PRECONDITION')
      await ctx.accountRemovals.deleteOne({ _id: personId })
    throw error
  }
  await deleteOwned(ctx.connection, 'personId', [personId])
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

export function startAccountSweeper(ctx: Context): AsyncDisposable {
  // A failed removal is retried later and never blocks the others.
  const failureMessage = 'could not delete an account; will retry'
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    ...sweepDue({ rows: ctx.accountRemovals, field: 'dueAt', leaseMs: REMOVAL_GRACE_MS }, (due: AccountRemoval) =>
      removeAccount(ctx, due),
    ),
    failureMessage,
    logger: ctx.logger,
  })
}

/** Deletes each account for reviewers when its time is over. */
export function startReviewSweeper(ctx: Context): AsyncDisposable {
  // The claim makes it due again later: the code must not work until then.
  const set = { reviewCodeMac: '$$REMOVE' }
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    ...sweepDue({ rows: ctx.people, field: 'endsAt', leaseMs: REMOVAL_GRACE_MS, set }, (due: Person) =>
      endReview(ctx, due),
    ),
    failureMessage: 'could not end an account for reviewers; will retry',
    logger: ctx.logger,
  })
}

/** As the person themselves would: first the families, then the account. */
async function endReview(ctx: Context, { _id: personId, email }: Person): Promise<void> {
  const dueAt = new Date()
  const verifiedAt = Math.floor(dueAt.getTime() / 1000)
  const claims = { personId, email, credentialId: newId('end'), verifiedAt }
  const actIn = async (workspaceId: string) => ({
    token: await ctx.identity.principalToken({ ...claims, workspaceId }, 'auth'),
  })
  const { workspaces } = await ctx.careCircle.listWorkspaces({}, await actIn(''))
  for (const { id, role } of workspaces)
    if (role === Role.OWNER) await ctx.careCircle.deleteWorkspace({}, await actIn(id))
  await removeAccount(ctx, { _id: personId, email, dueAt })
}

async function removeGrants(ctx: Context, match: Partial<Pick<Grant, 'personId' | 'workspaceId'>>): Promise<void> {
  const grants = await ctx.grants.find(match, { _id: 1 }).lean()
  const ids = grants.map(({ _id }) => _id)
  await ctx.grants.deleteMany({ _id: { $in: ids } })
  await ctx.oauthRecords.deleteMany({ grantId: { $in: ids } })
}

export async function removeWorkspace(ctx: Context, workspaceId: string): Promise<void> {
  await deleteOwned(ctx.connection, 'workspaceId', [workspaceId])
  await removeGrants(ctx, { workspaceId })
  await ctx.sessions.updateMany({ workspaceId }, { workspaceId: '' })
  await ctx.mailLimits.deleteMany({ _id: idsBelow(`alarms/${workspaceId}`) })
}

/** Keys and grants of a later membership stay, however late this runs. */
export async function endMembership(ctx: Context, ended: EndedMembership): Promise<void> {
  const { workspaceId, personId, since, endedAt } = ended
  const ofThis = {
    workspaceId,
    personId,
    $or: [{ memberSince: { $lte: since } }, { memberSince: null, createdAt: { $lte: endedAt } }],
  }
  await ctx.toolKeys.updateMany({ ...ofThis, revokedAt: null }, [{ $set: { revokedAt: '$$NOW' } }], {
    updatePipeline: true,
  })
  const grants = await ctx.grants.find({ ...ofThis, revokedAt: null }, { _id: 1 }).lean()
  for (const { _id } of grants) await revokeGrants(ctx, { _id })
}
