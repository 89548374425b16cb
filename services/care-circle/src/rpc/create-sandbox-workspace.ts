import type {
  CreateSandboxWorkspaceRequest,
  CreateSandboxWorkspaceResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Collection } from 'mongoose'
import type { Context } from '../context.ts'
import type { LovedOne } from '../models/loved-one.ts'
import type { Member } from '../models/member.ts'
import type { Workspace } from '../models/workspace.ts'
import { syntheticOwner } from '../sandbox/synthetic-owner.ts'

/**
 * Makes the records of a sandbox. No transaction: the sandbox service has noted that they are being made, nobody can see
 * them until it says that all are there, and it removes what a crash leaves. Rows that are there already stay as they are.
 */
export function createSandboxWorkspace(
  ctx: Context,
): Handler<CreateSandboxWorkspaceRequest, CreateSandboxWorkspaceResponse> {
  return async ({ workspaceId, name, lovedOneId, lovedOneName }, call) => {
    requireService(call, 'sandbox')
    const createdAt = new Date()
    const workspace = { _id: workspaceId, name, plan: 'family', createdAt, sandbox: true as const }
    await Promise.all([
      insertOnce(ctx.workspaces.collection, workspace),
      insertOnce(ctx.members.collection, syntheticOwner(workspaceId, createdAt)),
      insertOnce(ctx.lovedOnes.collection, { _id: lovedOneId, workspaceId, name: lovedOneName, createdAt }),
    ])
    return {}
  }
}

async function insertOnce(collection: Collection, row: Workspace | Member | LovedOne): Promise<void> {
  try {
    await collection.insertOne(row as never)
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
}
