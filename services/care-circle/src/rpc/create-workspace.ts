import {
  type CreateWorkspaceRequest,
  type CreateWorkspaceResponse,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { optionalLine } from '@family-inbox/service-kit/rpc/text-rules'
import { optionalPlainLine, requirePlainLine } from '@family-inbox/workspace-kit/plain-words'
import type { Context } from '../context.ts'
import { type Member, memberId } from '../models/member.ts'
import type { Workspace } from '../models/workspace.ts'
import { requireProvenEmail } from '../require-member.ts'
import { requireMayFound } from '../sign-up.ts'

export function createWorkspace(ctx: Context): Handler<CreateWorkspaceRequest, CreateWorkspaceResponse> {
  return async (request, call) => {
    const principal = requirePrincipal(call)
    const { personId } = principal
    const email = requireProvenEmail(call)
    await requireMayFound(ctx, principal)
    const name = requirePlainLine('name', request.name, 120)
    const ownerName = requirePlainLine('ownerName', request.ownerName, 120)
    const relationship = optionalPlainLine('relationship', request.relationship, 60)
    const idempotencyKey = optionalLine('idempotencyKey', request.idempotencyKey ?? '', 200)
    const workspaceId = newId('ws')
    const createdAt = new Date()
    const requestKey = idempotencyKey === '' ? undefined : `${personId}/${idempotencyKey}`
    const owner: Member = {
      _id: memberId(workspaceId, personId),
      workspaceId,
      personId,
      name: ownerName,
      email,
      role: Role.OWNER,
      relationship,
      joinedAt: createdAt,
    }
    const workspace = { _id: workspaceId, name, plan: 'family', createdAt, ...(requestKey && { requestKey }) }
    return { workspaceId: await insertOrFindEarlier(ctx, workspace, owner) }
  }
}

async function insertOrFindEarlier(ctx: Context, workspace: Workspace, owner: Member): Promise<string> {
  try {
    await ctx.connection.transaction(async (session) => {
      await ctx.workspaces.insertOne(workspace, { session })
      await ctx.members.insertOne(owner, { session })
    })
    return workspace._id
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
  const { requestKey } = workspace
  const earlier = await ctx.workspaces.findOne({ requestKey }, { _id: 1 }).lean().orFail()
  return earlier._id
}
