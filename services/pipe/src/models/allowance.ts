import { type Connection, Schema } from 'mongoose'

/** How many events a partner has sent in the latest minute. */
export type Allowance = {
  /** The partner's id. */
  _id: string
  /** Events by the second they were taken in, since 1970. */
  taken: { second: number; events: number }[]
  /** How many of the latest ones asked for were granted. */
  granted: number
  /** The second of the latest question. */
  now: number
}

const schema = new Schema<Allowance>(
  { _id: String, taken: [{ second: Number, events: Number, _id: false }], granted: Number, now: Number },
  { versionKey: false, collection: 'allowances' },
)

export function allowanceModel(connection: Connection) {
  return connection.model('Allowance', schema)
}
