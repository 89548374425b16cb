import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import type { Member } from '../models/member.ts'

/**
 * Runs a change of members or roles in a transaction. Each writes the workspace row, so concurrent changes conflict
 * and
 * the second sees the first: this keeps an owner in every workspace.
 * @param deadline milliseconds since 1970; no attempt begins later
 * @param change may run more than once
 */
export function changeWorkspace<T>(
  ctx: Context,
  workspaceId: string,
  deadline: number,
  change: (session: ClientSession) => Promise<T>,
): Promise<T> {
  return ctx.connection.transaction(async (session) => {
    if (Date.now() > deadline) throw new StatusError('UNAVAILABLE', 'This is taking too long. Try again in a moment.')
    await ctx.workspaces.updateOne({ _id: workspaceId }, { $inc: { changes: 1 } }, { session })
    return change(session)
  })
}

/**
 * Cancels a member's open invitations and unused provider codes. Otherwise a removed member could return
 * by their own invitation.
 */
export async function cancelInvitationsAndCodes(
  ctx: Context,
  { workspaceId, personId }: Member,
  session: ClientSession,
): Promise<void> {
  await ctx.invitations.updateMany(
    { workspaceId, invitedBy: personId, state: 'pending' },
    { $set: { state: 'canceled' }, $unset: { mailDueAt: 1 } },
    { session },
  )
  await ctx.providerCodes.deleteMany({ workspaceId, createdBy: personId, redemptionId: null }, { session })
}
