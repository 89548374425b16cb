import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import type { Member } from '../models/member.ts'

/**
 * Changes who is in a household and who owns it: one change after the other, each whole or not at all. Every change writes to
 * the workspace row, so of two at the same moment one begins again and sees what the other did: that is what keeps an
 * owner in every household.
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
 * Takes back what a member offered others and nobody took yet: their open invitations and unused provider codes. Without
 * this, whoever is sent away could come back by an invitation they had made for themself.
 */
export async function withdrawOffers(
  ctx: Context,
  { workspaceId, personId }: Member,
  session: ClientSession,
): Promise<void> {
  await ctx.invitations.updateMany(
    { workspaceId, invitedBy: personId, state: 'pending' },
    { $set: { state: 'cancelled' }, $unset: { mailDueAt: 1 } },
    { session },
  )
  await ctx.providerCodes.deleteMany({ workspaceId, createdBy: personId, redemptionId: null }, { session })
}
