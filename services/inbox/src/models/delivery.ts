import { type Connection, Schema } from 'mongoose'

/**
 * How far a mail has come.
 * - `queued`: not handed over yet, or to be tried again
 * - `handing_over`: everything but the end of the mail has been sent; whether the other server took it is being learnt
 * - `sent`: the other server took it
 * - `failed`: refused for good, or not taken after the last try
 * - `unknown`: the process died while handing over; the mail may have arrived, so it is not sent again
 */
export type DeliveryState = 'queued' | 'handing_over' | 'sent' | 'failed' | 'unknown'

/** What became of one outgoing mail. Its words are not here: they are in the queue until it is sent. */
export type Delivery = {
  /** The id of the mail, which follows from the request that wrote it. */
  _id: string
  workspaceId: string
  state: DeliveryState
  attempts: number
  createdAt: Date
  changedAt: Date
}

const schema = new Schema<Delivery>(
  { _id: String, workspaceId: String, state: String, attempts: Number, createdAt: Date, changedAt: Date },
  { versionKey: false, collection: 'deliveries' },
)

export function deliveryModel(connection: Connection) {
  return connection.model('Delivery', schema)
}
