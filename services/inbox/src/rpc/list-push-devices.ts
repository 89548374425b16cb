import type { ListPushDevicesRequest, ListPushDevicesResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'

export function listPushDevices(ctx: Context): Handler<ListPushDevicesRequest, ListPushDevicesResponse> {
  return async (_request, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call)
    requirePerson(call)
    const rows = await ctx.push.devices.find({ workspaceId, personId }).sort({ addedAt: 1 }).lean()
    const devices = rows.map(({ _id: id, browser, addedAt }) => ({ id, browser, addedAt }))
    return { devices, publicKey: ctx.push.keys.publicKey }
  }
}
