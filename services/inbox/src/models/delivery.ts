import { expiresAfter } from '@family-inbox/service-kit/mongo/mongo'
import { type Connection, Schema } from 'mongoose'
import { REPLY_IDS } from './reply.ts'

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
  /** By which a bounce or a complaint about it is found. Absent for mail that stops nobody, as of the next. */
  messageIdHeader?: string
  /** `hashRecipient(…)` of whom it is for. */
  recipientHash?: string
  createdAt: Date
  changedAt: Date
}

const schema = new Schema<Delivery>(
  {
    _id: String,
    workspaceId: String,
    state: String,
    attempts: Number,
    messageIdHeader: String,
    recipientHash: String,
    createdAt: Date,
    changedAt: Date,
  },
  { versionKey: false, collection: 'deliveries' },
)

schema.index({ messageIdHeader: 1 }, { sparse: true })

/** While a mail is under way its record is what keeps it from being sent twice. */
const ENDED: DeliveryState[] = ['sent', 'failed', 'unknown']

/**
 * What expires: that a mail was sent, and how any ended that is no reply. A family is shown for good which of its replies was
 * not sent, and one without a record was.
 */
const EXPIRING = {
  $or: [
    { state: 'sent' },
    { state: { $in: ENDED }, _id: { $lt: REPLY_IDS.$gte } },
    { state: { $in: ENDED }, _id: { $gte: REPLY_IDS.$lt } },
  ],
}

/** @param keptDays after which a record expires */
export function deliveryModel(connection: Connection, keptDays: number) {
  const expiring = { ...expiresAfter(keptDays), partialFilterExpression: EXPIRING }
  return connection.model('Delivery', schema.clone().index({ changedAt: 1 }, expiring))
}
