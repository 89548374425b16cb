import { type Membership, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Call } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import { type Member, memberId } from '../models/member.ts'
import { requireMember } from '../require-member.ts'

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
