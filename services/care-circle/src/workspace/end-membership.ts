import { endedMembershipId } from '@family-inbox/workspace-kit/removals'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import type { Member } from '../models/member.ts'
import type { Removal } from '../models/removal.ts'
import { TOLD_WITHIN_MS } from './remove-workspace.ts'

/** Notes, in the transaction that ends a membership, that auth must end the keys and applications it gave. */
export async function noteEndedMembership(
  ctx: Context,
  { workspaceId, personId, joinedAt }: Member,
  session: ClientSession,
): Promise<Removal> {
  const endedAt = new Date()
  const removal: Removal = {
    _id: endedMembershipId({ workspaceId, personId, since: joinedAt, endedAt }),
    kind: 'membership',
    dueAt: new Date(endedAt.getTime() + TOLD_WITHIN_MS),
  }
  await ctx.removals.insertOne(removal, { session })
  return removal
}
