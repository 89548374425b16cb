import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { type Connection, Schema } from 'mongoose'

/** A mail that the operator sent from here to here, to learn what receivers of our mail see. It is nobody's. */
export type DeliveryTest = {
  _id: string
  messageIdHeader: string
  createdAt: Date
  arrivedAt?: Date
  /** What was found out about it then, in the terms of RFC 8601, and the address of the server it came from. */
  seen?: { peer: string; spf: string; dkim: string; dmarc: string }
}

const schema = rowSchema<DeliveryTest>(
  'delivery_tests',
  { _id: String, messageIdHeader: String, createdAt: Date, arrivedAt: Date, seen: Schema.Types.Mixed },
  {},
  { global: 'the operator’s' },
)
schema.index({ createdAt: 1 }, { expireAfterSeconds: DAY_SEC })

export function deliveryTestModel(connection: Connection) {
  return connection.model('DeliveryTest', schema)
}
