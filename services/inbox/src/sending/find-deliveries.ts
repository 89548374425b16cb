import { DeliveryState } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { type Delivery, mayHaveExpired } from '../models/delivery.ts'

const STATES: Record<Delivery['state'], DeliveryState> = {
  queued: DeliveryState.QUEUED,
  handing_over: DeliveryState.QUEUED,
  sent: DeliveryState.SENT,
  failed: DeliveryState.FAILED,
  unknown: DeliveryState.UNKNOWN,
}

/** `queuedAt` is absent until the mail is certain to be queued. */
type QueuedMail = { _id: string; queuedAt?: Date }

/** Without a record, a new mail is still queued, and an old one was sent: only those records expire. */
export function toWireDelivery(
  state: Delivery['state'] | undefined,
  { queuedAt }: Pick<QueuedMail, 'queuedAt'>,
): DeliveryState {
  if (state !== undefined) return STATES[state]
  return queuedAt !== undefined && mayHaveExpired(queuedAt) ? DeliveryState.SENT : DeliveryState.QUEUED
}

/** Looks up how far these mails have come. */
export async function findDeliveries(
  { deliveries }: Pick<Context, 'deliveries'>,
  mails: QueuedMail[],
): Promise<(mail: QueuedMail) => DeliveryState> {
  const ids = mails.map(({ _id }) => _id)
  const rows = ids.length === 0 ? [] : await deliveries.find({ _id: { $in: ids } }, { state: 1 }).lean()
  const stateOf = new Map(rows.map(({ _id, state }) => [_id, state]))
  return (mail) => toWireDelivery(stateOf.get(mail._id), mail)
}
