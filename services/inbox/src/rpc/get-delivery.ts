import type { GetDeliveryRequest, GetDeliveryResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { toWireDelivery } from '../sending/find-deliveries.ts'

export function getDelivery(ctx: Context): Handler<GetDeliveryRequest, GetDeliveryResponse> {
  return async (request, call) => {
    const { workspaceId } = await ctx.requireMember(call)
    const delivery = await ctx.deliveries.findOne({ _id: request.id, workspaceId }).lean()
    if (delivery !== null) return { state: toWireDelivery(delivery.state, {}), changedAt: delivery.changedAt }
    const reply = await ctx.replies.findOne({ _id: request.id, workspaceId }, { createdAt: 1, mailQueuedAt: 1 }).lean()
    if (reply !== null) {
      const queuedAt = reply.mailQueuedAt
      return { state: toWireDelivery(undefined, { queuedAt }), changedAt: queuedAt ?? reply.createdAt }
    }
    throw new StatusError('NOT_FOUND', 'No outgoing mail with this id in your family’s inboxes.', { field: 'id' })
  }
}
