import { DeliveryState } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from './context.ts'
import type { Delivery } from './models/delivery.ts'

const STATES: Record<Delivery['state'], DeliveryState> = {
  queued: DeliveryState.QUEUED,
  handing_over: DeliveryState.QUEUED,
  sent: DeliveryState.SENT,
  failed: DeliveryState.FAILED,
  unknown: DeliveryState.UNKNOWN,
}

/** How far a mail has come, as it is told; a mail the sender has not met yet is queued. */
export function toWireDelivery(state: Delivery['state'] | undefined): DeliveryState {
  return state === undefined ? DeliveryState.QUEUED : STATES[state]
}

/** How far these mails have come, by their ids. */
export async function findDeliveries(
  { deliveries }: Pick<Context, 'deliveries'>,
  ids: string[],
): Promise<(id: string) => DeliveryState> {
  const rows = ids.length === 0 ? [] : await deliveries.find({ _id: { $in: ids } }, { state: 1 }).lean()
  const stateOf = new Map(rows.map(({ _id, state }) => [_id, state]))
  return (id) => toWireDelivery(stateOf.get(id))
}
