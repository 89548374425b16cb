import type { AddLovedOneRequest, AddLovedOneResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { optionalLine } from '@family-inbox/service-kit/rpc/text-rules'
import { requirePlainLine } from '@family-inbox/workspace-kit/plain-words'
import type { Context } from '../context.ts'
import type { LovedOne } from '../models/loved-one.ts'
import { requireMember } from '../require-member.ts'

export function addLovedOne(ctx: Context): Handler<AddLovedOneRequest, AddLovedOneResponse> {
  return async (request, call) => {
    const { workspaceId } = await requireMember(ctx, call, { write: true })
    const name = requirePlainLine('name', request.name, 120)
    const idempotencyKey = optionalLine('idempotencyKey', request.idempotencyKey ?? '', 200)
    const lovedOne = { _id: newId('lo'), workspaceId, name, createdAt: new Date() }
    const added = await insertOrFindEarlier(ctx, { ...lovedOne, ...(idempotencyKey !== '' && { idempotencyKey }) })
    return { lovedOne: { id: added._id, name: added.name } }
  }
}

async function insertOrFindEarlier(ctx: Context, lovedOne: LovedOne): Promise<LovedOne> {
  try {
    await ctx.lovedOnes.insertOne(lovedOne)
    return lovedOne
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
  const { workspaceId, idempotencyKey } = lovedOne
  return ctx.lovedOnes.findOne({ workspaceId, idempotencyKey }).lean().orFail()
}
