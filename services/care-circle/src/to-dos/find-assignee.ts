import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { Actor } from '@family-inbox/workspace-kit/status-rule'
import type { Context } from '../context.ts'
import { memberId } from '../models/member.ts'

/** The error is the same for a viewer and for someone of another workspace. @throws StatusError INVALID_ARGUMENT */
export async function findAssignee(ctx: Context, workspaceId: string, personId: string): Promise<Actor> {
  const [member] = await ctx.findMembers([memberId(workspaceId, personId)])
  if (member !== undefined && member.role !== Role.VIEWER) return { personId, name: member.name }
  throw invalidArgument('assigneeId', 'assigneeId must be the owner or a coordinator of this workspace.')
}
