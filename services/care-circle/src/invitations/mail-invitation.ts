import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { sweepDue } from '@family-inbox/service-kit/mongo/claim-due'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { OUTGOING_MAIL_STOPPED } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import type { Invitation } from '../models/invitation.ts'
import { memberId } from '../models/member.ts'
import { composeInvitation, invitationMailId } from './compose-invitation.ts'
import { invitationToken, mayInvite } from './find-invitation.ts'
import { spendMailLimits } from './spend-mail-limit.ts'

const QUEUED_WITHIN_MS = 500

/** After a crash the same mail id is queued again. @throws StatusError when refused, which deletes the invitation */
export async function mailInvitation(ctx: Context, invitation: Invitation): Promise<void> {
  if (!isDue(invitation)) return
  await queueMail(ctx, invitation, await deleteIfRefused(ctx, invitation, () => requireMailable(ctx, invitation)))
}

/** The same within the caller's patience: what is stored is not refused because NATS is away. The sweeper queues it. */
export async function tryMailInvitation(ctx: Context, invitation: Invitation): Promise<void> {
  if (!isDue(invitation)) return
  const names = await deleteIfRefused(ctx, invitation, () => requireMailable(ctx, invitation))
  await raceDeadline(queueMail(ctx, invitation, names), Date.now() + QUEUED_WITHIN_MS).catch((error) => {
    ctx.logger.warn(describeError(error), 'a stored invitation could not be queued; the sweeper will retry')
    ctx.wake.invitations()
  })
}

function isDue({ state, mailDueAt }: Invitation): boolean {
  return state === 'pending' && mailDueAt !== undefined
}

type Names = Awaited<ReturnType<typeof requireMailable>>

async function queueMail(ctx: Context, invitation: Invitation, names: Names): Promise<void> {
  const { _id, sendNumber } = invitation
  const { invitationKey, inboxUrl } = ctx.config
  const token = invitationToken(invitationKey, _id, sendNumber)
  await ctx.mailQueue.send(composeInvitation({ invitation, token, ...names, inboxUrl }))
  crashPoint('invitation-queued')
  await ctx.invitations.updateOne({ _id, sendNumber }, { $unset: { mailDueAt: 1, network: 1 } })
}

async function requireMailable(ctx: Context, invitation: Invitation) {
  const { workspaceId, invitedBy } = invitation
  const [inviter, workspace] = await Promise.all([
    ctx.members.findById(memberId(workspaceId, invitedBy)).lean(),
    ctx.workspaces.findById(workspaceId).lean().orFail(),
  ])
  if (!mayInvite(inviter))
    throw new StatusError('FAILED_PRECONDITION', 'The person who sent this invitation can no longer invite people.')
  if (workspace.mailStoppedAt) throw new StatusError('FAILED_PRECONDITION', OUTGOING_MAIL_STOPPED)
  await spendMailLimits(ctx, invitation, invitationMailId(invitation))
  return { inviterName: inviter.name, workspaceName: workspace.name }
}

/** Frees the idempotency key. */
async function deleteIfRefused<T>(ctx: Context, { _id, sendNumber }: Invitation, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StatusError)
      await ctx.invitations.deleteOne({ _id, sendNumber, state: 'pending', mailDueAt: { $exists: true } })
    throw error
  }
}

export const MAIL_GRACE_MS = 5000

/** Queues what a crash or a NATS outage left over. Safe on any number of replicas. */
export function startInvitationSweeper(ctx: Context): AsyncDisposable {
  const failureMessage = 'could not queue an invitation mail; will retry'
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    ...sweepDue(
      { rows: ctx.invitations, field: 'mailDueAt', leaseMs: MAIL_GRACE_MS, filter: mailable },
      (invitation: Invitation) => mailInvitation(ctx, invitation),
    ),
    wake: ctx.wake.invitations,
    failureMessage,
    logger: ctx.logger,
  })
}

function mailable() {
  return { state: 'pending', expiresAt: { $gt: new Date() } }
}
