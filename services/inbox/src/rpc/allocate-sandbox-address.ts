import type { AllocateSandboxAddressRequest, AllocateSandboxAddressResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import { formatAddress, type InboxAddress, newAddress } from '../models/inbox-address.ts'
import { SANDBOX_ROOM } from '../sandbox/take-room.ts'

/** Gives a sandbox's loved one their address, the same one at every call; it takes little mail until it is claimed. */
export function allocateSandboxAddress(
  ctx: Context,
): Handler<AllocateSandboxAddressRequest, AllocateSandboxAddressResponse> {
  return async ({ workspaceId, lovedOneId }, call) => {
    requireService(call, 'sandbox')
    const row = await insertOnce(ctx, {
      ...newAddress(),
      workspaceId,
      lovedOneId,
      sandbox: true,
      room: { ...SANDBOX_ROOM },
    })
    return { address: formatAddress(row, ctx.config.mailDomain) }
  }
}

/** The new row, or the one an earlier call made. */
async function insertOnce(ctx: Context, row: InboxAddress): Promise<InboxAddress> {
  try {
    await ctx.inboxAddresses.collection.insertOne(row as never)
    return row
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
  const { workspaceId, lovedOneId } = row
  const earlier = await ctx.inboxAddresses.findOne({ workspaceId, lovedOneId, removedAt: null }).lean()
  if (earlier !== null) return earlier
  throw new StatusError('FAILED_PRECONDITION', 'This sandbox has ended.')
}
