import type { AllocateInboxAddressRequest, AllocateInboxAddressResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { formatAddress, newAddress } from '../models/inbox-address.ts'

/** Gives a loved one their inbox address, the same one at every call. Owner and coordinators only. */
export function allocateInboxAddress(ctx: Context): Handler<AllocateInboxAddressRequest, AllocateInboxAddressResponse> {
  return async ({ lovedOneId }, call) => {
    const { workspaceId } = await ctx.requireMember(call, { lovedOneId, write: true })
    const row = await ctx.inboxAddresses
      .findOneAndUpdate(
        { workspaceId, lovedOneId },
        { $setOnInsert: newAddress() },
        { upsert: true, returnDocument: 'after' },
      )
      .lean()
      .orFail()
    return { address: formatAddress(row, ctx.config.mailDomain) }
  }
}
