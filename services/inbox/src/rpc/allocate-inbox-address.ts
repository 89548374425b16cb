import type { AllocateInboxAddressRequest, AllocateInboxAddressResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { formatAddress, type InboxAddress, NOT_RETIRED, newAddress } from '../models/inbox-address.ts'

/** Creates an address if there is none or it was retired. Owner and coordinators only. */
export function allocateInboxAddress(ctx: Context): Handler<AllocateInboxAddressRequest, AllocateInboxAddressResponse> {
  return async ({ lovedOneId }, call) => {
    const { workspaceId } = await ctx.requireMember(call, { lovedOneId, write: true })
    const row = await findOrAllocate(ctx, { workspaceId, lovedOneId, ...NOT_RETIRED })
    return { address: formatAddress(row, ctx.config) }
  }
}

async function findOrAllocate(ctx: Context, current: object): Promise<InboxAddress> {
  try {
    return await ctx.inboxAddresses
      .findOneAndUpdate(current, { $setOnInsert: newAddress() }, { upsert: true, returnDocument: 'after' })
      .lean()
      .orFail()
  } catch (error) {
    // A concurrent call allocated it.
    if (!isDuplicateKey(error)) throw error
    return ctx.inboxAddresses.findOne(current).lean().orFail()
  }
}
