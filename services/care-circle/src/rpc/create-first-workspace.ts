import {
  type CreateFirstWorkspaceRequest,
  type CreateFirstWorkspaceResponse,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { requirePlainLine } from '@family-inbox/workspace-kit/plain-words'
import type { Context } from '../context.ts'
import { memberId } from '../models/member.ts'
import { families } from '../models/workspace.ts'

/** No person's request can have this key, and it is unique: the second of two concurrent calls finds it. */
const REQUEST_KEY = 'set-up'

/**
 * auth has checked the operator's code. The email is not proven, as the operator's own choice. A repeated request of the same person
 * finds what the first one created, whose answer may have come too late.
 */
export function createFirstWorkspace(ctx: Context): Handler<CreateFirstWorkspaceRequest, CreateFirstWorkspaceResponse> {
  return async (request, call) => {
    requireService(call, 'auth')
    const { personId } = request
    const email = requireEmail('email', request.email)
    const name = requirePlainLine('familyName', request.name, 120)
    const ownerName = requirePlainLine('name', request.ownerName, 120)
    const earlier = await findCreated(ctx, personId)
    if (earlier !== undefined) return { workspaceId: earlier }
    const workspaceId = newId('ws')
    const createdAt = new Date()
    const workspace = { _id: workspaceId, name, plan: 'family', createdAt, requestKey: REQUEST_KEY }
    const owner = { personId, email, name: ownerName, role: Role.OWNER, relationship: '', joinedAt: createdAt }
    try {
      await ctx.connection.transaction(async (session) => {
        if (await ctx.workspaces.exists(families()).session(session)) throw notFirst()
        await ctx.workspaces.insertOne(workspace, { session })
        await ctx.members.insertOne({ _id: memberId(workspaceId, personId), workspaceId, ...owner }, { session })
      })
    } catch (error) {
      throw isDuplicateKey(error) ? notFirst() : error
    }
    return { workspaceId }
  }
}

async function findCreated({ workspaces, members }: Context, personId: string): Promise<string | undefined> {
  const workspace = await workspaces.findOne({ requestKey: REQUEST_KEY }, { _id: 1 }).lean()
  if (workspace === null) return undefined
  const owner = { _id: memberId(workspace._id, personId), role: Role.OWNER }
  return (await members.exists(owner)) === null ? undefined : workspace._id
}

function notFirst(): StatusError {
  return new StatusError('FAILED_PRECONDITION', 'There is a family here already.')
}
