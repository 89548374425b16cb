import { expiresAfter } from '@family-inbox/service-kit/mongo/mongo'
import { daysAgo } from '@family-inbox/service-kit/time/days'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'
import { MIN_RETENTION_DAYS } from '../config.ts'
import { REPLY_IDS } from './reply.ts'

/** `handing_over`: sent except for the end of the mail. `unknown`: a crash then; the mail is not sent again. */
export type DeliveryState = 'queued' | 'handing_over' | 'sent' | 'failed' | 'unknown'

export type Delivery = {
  _id: string
  workspaceId: string
  state: DeliveryState
  attempts: number
  /** Absent on mail of an older version that could not stop a recipient. */
  messageIdHeader?: string
  /** Where reports about it come. Absent until it is handed over, and on mail of an older version. */
  returnPathHash?: string
  /** Absent if a report about it stops nobody, as for sign-in codes. */
  recipientHash?: string
  /** Its message in the queue. */
  seq?: number
  /** When to check that its message is still in the queue. Absent once the mail is done. */
  checkAfter?: Date
  createdAt: Date
  changedAt: Date
}

const schema = rowSchema<Delivery>(
  'deliveries',
  {
    _id: String,
    workspaceId: String,
    state: String,
    attempts: Number,
    messageIdHeader: String,
    returnPathHash: String,
    recipientHash: String,
    seq: Number,
    checkAfter: Date,
    createdAt: Date,
    changedAt: Date,
  },
  { workspaceId: 'field' },
  {
    global: 'a report names the mail, and some mail belongs to no workspace',
    shardKey: { _id: 'hashed' },
    rowsPerWorkspace: 60,
    rowBytes: 450,
  },
)

schema.index({ messageIdHeader: 1 }, { sparse: true })
schema.index({ returnPathHash: 1 }, { sparse: true })
schema.index({ checkAfter: 1 }, { sparse: true })

export const IN_PROGRESS: DeliveryState[] = ['queued', 'handing_over']
/** While a mail is in progress, its record prevents a second send. */
const ENDED: DeliveryState[] = ['sent', 'failed', 'unknown']

/** Families always see which replies failed, so those records stay; a reply without a record was sent. */
const EXPIRING = {
  $or: [
    { state: 'sent' },
    { state: { $in: ENDED }, _id: { $lt: REPLY_IDS.$gte } },
    { state: { $in: ENDED }, _id: { $gte: REPLY_IDS.$lt } },
  ],
}

export function deliveryModel(connection: Connection, keptDays: number) {
  const expiring = { ...expiresAfter(keptDays), partialFilterExpression: EXPIRING }
  return connection.model('Delivery', schema.clone().index({ changedAt: 1 }, expiring))
}

export function mayHaveExpired(madeAt: Date): boolean {
  return madeAt < daysAgo(MIN_RETENTION_DAYS)
}
