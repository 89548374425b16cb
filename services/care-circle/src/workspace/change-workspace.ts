import { type Membership, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Call } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import { type Member, memberId } from '../models/member.ts'
import { requireMember } from '../require-member.ts'

/** Each change writes the workspace row, so concurrent ones conflict and an owner remains. @param change may run twice */
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

/** Otherwise a removed member could return by their own invitation. */
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
  await ctx.invitationProposals.deleteMany({ workspaceId, personId }, { session })
  await ctx.providerCodes.deleteMany({ workspaceId, createdBy: personId, redemptionId: null }, { session })
}

export async function requireOwner(ctx: Context, call: Call): Promise<Membership> {
  const caller = await requireMember(ctx, call)
  if (caller.role !== Role.OWNER) throw ownersOnly()
  return caller
}

/** The role may have changed since the call began. */
export async function requireStillOwner(
  ctx: Context,
  { workspaceId, personId }: Membership,
  session: ClientSession,
): Promise<void> {
  const caller = await ctx.members.findById(memberId(workspaceId, personId), { role: 1 }).session(session).lean()
  if (caller?.role !== Role.OWNER) throw ownersOnly()
}

/** The same error for unknown people and for other workspaces' members. */
export async function requireMemberOf(
  ctx: Context,
  workspaceId: string,
  personId: string,
  session: ClientSession,
): Promise<Member> {
  const member = await ctx.members.findById(memberId(workspaceId, personId)).session(session).lean()
  if (member) return member
  throw new StatusError('NOT_FOUND', 'Your family has no member with this personId.', { field: 'personId' })
}

export async function requireAnotherOwner(ctx: Context, owner: Member, session: ClientSession): Promise<void> {
  const { _id, workspaceId } = owner
  const another = await ctx.members.exists({ workspaceId, role: Role.OWNER, _id: { $ne: _id } }).session(session)
  if (another) return
  throw new StatusError('FAILED_PRECONDITION', 'Every family needs an owner. Make somebody else the owner first.')
}

function ownersOnly(): StatusError {
  return new StatusError('PERMISSION_DENIED', 'Only the owner can do this.')
}
