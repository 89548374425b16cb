import type { RetireInboxAddressRequest, RetireInboxAddressResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { NOT_RETIRED } from '../models/inbox-address.ts'
import { localPartOf } from '../own-address.ts'

/** Mail already received stays. So does the row: no address is issued again. Owner and coordinators only. */
export function retireInboxAddress(ctx: Context): Handler<RetireInboxAddressRequest, RetireInboxAddressResponse> {
  return async ({ lovedOneId, address }, call) => {
    const { workspaceId } = await ctx.requireMember(call, { lovedOneId, write: true })
    const localPart = localPartOf(address, ctx.config) ?? ''
    const row = await ctx.inboxAddresses.findOne({ workspaceId, lovedOneId, localPart }, { _id: 1 }).lean()
    if (row === null)
      throw new StatusError('NOT_FOUND', 'This address does not belong to this loved one.', { field: 'address' })
    await ctx.inboxAddresses.updateOne({ _id: row._id, ...NOT_RETIRED }, { $set: { retiredAt: new Date() } })
    return {}
  }
}
