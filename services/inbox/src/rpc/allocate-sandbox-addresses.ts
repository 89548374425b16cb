import type {
  AllocateSandboxAddressesRequest,
  AllocateSandboxAddressesResponse,
} from '@family-inbox/proto/inbox/v1/inbox'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { SANDBOX_QUOTA } from '../arriving/store-within-quota.ts'
import type { Context } from '../context.ts'
import { formatAddress, type InboxAddress, newAddress } from '../models/inbox-address.ts'

/** Returns the addresses of sandboxes' loved ones, each with a small quota until claimed. Idempotent. */
export function allocateSandboxAddresses(
  ctx: Context,
): Handler<AllocateSandboxAddressesRequest, AllocateSandboxAddressesResponse> {
  return async ({ lovedOnes }, call) => {
    requireService(call, 'sandbox')
    const rows = lovedOnes.map(({ workspaceId, lovedOneId }): InboxAddress => {
      return { ...newAddress(), workspaceId, lovedOneId, sandbox: true, quota: { ...SANDBOX_QUOTA } }
    })
    const areNew = await insertOnce(ctx.inboxAddresses.collection, rows)
    const addresses = rows.map((row, index) => (areNew[index] ? row : findEarlier(ctx, row)))
    return {
      addresses: (await Promise.all(addresses)).map((row) => (row === null ? '' : formatAddress(row, ctx.config))),
    }
  }
}

function findEarlier(ctx: Context, { workspaceId, lovedOneId }: InboxAddress): Promise<InboxAddress | null> {
  return ctx.inboxAddresses.findOne({ workspaceId, lovedOneId, removedAt: null }).lean()
}
