import { type Membership, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Call } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'

/** Who may say from which mailbox the family gets mail: the owner, in the application. @throws StatusError PERMISSION_DENIED */
export async function requireOwner(ctx: Context, call: Call, lovedOneId?: string): Promise<Membership> {
  const membership = await ctx.requireMember(call, { write: true, ...(lovedOneId !== undefined && { lovedOneId }) })
  requirePerson(call)
  if (membership.role !== Role.OWNER)
    throw new StatusError('PERMISSION_DENIED', 'Only the owner can change this. Ask them.')
  return membership
}
