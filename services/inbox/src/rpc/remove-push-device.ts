import type { RemovePushDeviceRequest, RemovePushDeviceResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'

/** Of the caller only. Removing twice is the same as once. */
export function removePushDevice(ctx: Context): Handler<RemovePushDeviceRequest, RemovePushDeviceResponse> {
  return async ({ deviceId }, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call)
    requirePerson(call)
    await ctx.push.devices.deleteOne({ _id: deviceId, workspaceId, personId })
    return {}
  }
}
