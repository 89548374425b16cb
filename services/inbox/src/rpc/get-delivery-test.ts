import type { GetDeliveryTestRequest, GetDeliveryTestResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { findDeliveries } from '../sending/find-deliveries.ts'

/** For the operator: how far the mail has come, and what was found out about it when it arrived. */
export function getDeliveryTest(ctx: Context): Handler<GetDeliveryTestRequest, GetDeliveryTestResponse> {
  return async ({ id }, call) => {
    requireService(call, 'ops')
    const test = await ctx.deliveryTests.findById(id).lean()
    if (test === null) throw new StatusError('NOT_FOUND', 'No such test within the last day.', { field: 'id' })
    const mail = { _id: id, queuedAt: test.createdAt }
    const deliveryOf = await findDeliveries(ctx, [mail])
    return { delivery: deliveryOf(mail), arrivedAt: test.arrivedAt, seen: test.seen }
  }
}
