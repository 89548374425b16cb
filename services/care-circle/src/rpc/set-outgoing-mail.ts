import type { SetOutgoingMailRequest, SetOutgoingMailResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'

export function setOutgoingMail(ctx: Context): Handler<SetOutgoingMailRequest, SetOutgoingMailResponse> {
  return async ({ workspaceId, stopped }, call) => {
    requireService(call, 'ops')
    const change = stopped ? { $set: { mailStoppedAt: new Date() } } : { $unset: { mailStoppedAt: 1 } }
    const { matchedCount } = await ctx.workspaces.updateOne({ _id: workspaceId }, change)
    if (matchedCount === 1) return {}
    throw new StatusError('NOT_FOUND', 'There is no workspace with this id.', { field: 'workspaceId' })
  }
}
