import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { OUTGOING_MAIL_STOPPED } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import type { Invitation } from '../models/invitation.ts'
import { memberId } from '../models/member.ts'
import { composeInvitation, invitationMailId } from './compose-invitation.ts'
import { invitationToken, mayInvite } from './find-invitation.ts'
import { spendMailAllowance } from './spend-mail-allowance.ts'

/**
 * Queues an invitation's mail durably, once. After a crash `mailDueAt` remains and the same mail id is queued again.
 * @throws StatusError RESOURCE_EXHAUSTED over the limit, FAILED_PRECONDITION when the inviter may no longer invite;
 * both delete the invitation
 */
export async function mailInvitation(ctx: Context, invitation: Invitation): Promise<void> {
  const { _id, sendNumber, state, mailDueAt } = invitation
  if (state !== 'pending' || mailDueAt === undefined) return
  const { inviterName, workspaceName } = await deleteIfRefused(ctx, invitation, () => requireMailable(ctx, invitation))
  const token = invitationToken(ctx.config.invitationKey, _id, sendNumber)
  const { inboxUrl } = ctx.config
  await ctx.mailQueue.send(composeInvitation({ invitation, token, inviterName, workspaceName, inboxUrl }))
  await ctx.invitations.updateOne({ _id, sendNumber }, { $unset: { mailDueAt: 1 } })
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
  await spendMailAllowance(ctx, invitation, invitationMailId(invitation))
  return { inviterName: inviter.name, workspaceName: workspace.name }
}

/** Deletes a refused invitation, which frees its idempotency key. */
async function deleteIfRefused<T>(ctx: Context, { _id, sendNumber }: Invitation, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StatusError)
      await ctx.invitations.deleteOne({ _id, sendNumber, state: 'pending', mailDueAt: { $exists: true } })
    throw error
  }
}
