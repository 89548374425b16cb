import { type Membership, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Call } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import { type Member, memberId } from '../models/member.ts'
import { requireMember } from '../require-member.ts'

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

/** @throws StatusError PERMISSION_DENIED unless the caller is an owner */
export async function requireOwner(ctx: Context, call: Call): Promise<Membership> {
  const caller = await requireMember(ctx, call)
  if (caller.role !== Role.OWNER) throw ownersOnly()
  return caller
}

/** Checks again inside a transaction: the role may have changed since the call began. */
export async function requireStillOwner(
  ctx: Context,
  { workspaceId, personId }: Membership,
  session: ClientSession,
): Promise<void> {
  const caller = await ctx.members.findById(memberId(workspaceId, personId), { role: 1 }).session(session).lean()
  if (caller?.role !== Role.OWNER) throw ownersOnly()
}

/** @throws StatusError NOT_FOUND, the same for unknown people and other workspaces' members */
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

/** @throws StatusError FAILED_PRECONDITION when this is the last owner */
export async function requireAnotherOwner(ctx: Context, owner: Member, session: ClientSession): Promise<void> {
  const { _id, workspaceId } = owner
  const another = await ctx.members.exists({ workspaceId, role: Role.OWNER, _id: { $ne: _id } }).session(session)
  if (another) return
  throw new StatusError('FAILED_PRECONDITION', 'Every family needs an owner. Make somebody else the owner first.')
}

function ownersOnly(): StatusError {
  return new StatusError('PERMISSION_DENIED', 'Only the owner can do this.')
}
