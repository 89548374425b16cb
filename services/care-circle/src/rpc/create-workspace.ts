import {
  type CreateWorkspaceRequest,
  type CreateWorkspaceResponse,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { optionalLine, requireLine } from '@family-inbox/service-kit/text-rules'
import type { Context } from '../context.ts'
import { memberId } from '../models/member.ts'
import { requireProvenEmail } from '../require-proven-email.ts'

/** Makes a household with the caller as its owner: both rows or neither. */
export function createWorkspace(ctx: Context): Handler<CreateWorkspaceRequest, CreateWorkspaceResponse> {
  return async (request, call) => {
    const { personId } = requirePrincipal(call)
    const email = requireProvenEmail(call)
    const name = requireLine('name', request.name, 120)
    const ownerName = requireLine('ownerName', request.ownerName, 120)
    const relationship = optionalLine('relationship', request.relationship, 60)
    const workspaceId = newId('ws')
    const now = new Date()
    await ctx.connection.transaction(async (session) => {
      await ctx.workspaces.insertOne({ _id: workspaceId, name, plan: 'family', createdAt: now }, { session })
      await ctx.members.insertOne(
        {
          _id: memberId(workspaceId, personId),
          workspaceId,
          personId,
          name: ownerName,
          email,
          role: Role.OWNER,
          relationship,
          joinedAt: now,
        },
        { session },
      )
    })
    return { workspaceId }
  }
}
