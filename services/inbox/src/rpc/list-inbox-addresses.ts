import type { ListInboxAddressesRequest, ListInboxAddressesResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { formatAddress, NOT_RETIRED } from '../models/inbox-address.ts'

export function listInboxAddresses(ctx: Context): Handler<ListInboxAddressesRequest, ListInboxAddressesResponse> {
  return async (_request, call) => {
    const [, rows] = await Promise.all([
      ctx.requireMember(call),
      findAddresses(ctx, requirePrincipal(call).workspaceId),
    ])
    const addresses = rows.map((row) => ({
      lovedOneId: row.lovedOneId,
      address: formatAddress(row, ctx.config),
    }))
    return { addresses }
  }
}

/** Discarded if the membership check fails. */
async function findAddresses(ctx: Context, workspaceId: string) {
  return ctx.inboxAddresses.find({ workspaceId, ...NOT_RETIRED }, { lovedOneId: 1, localPart: 1 }).lean()
}
