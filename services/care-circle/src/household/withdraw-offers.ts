import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import type { Member } from '../models/member.ts'

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
