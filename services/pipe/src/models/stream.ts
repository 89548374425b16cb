import { type Connection, Schema } from 'mongoose'

/** The stream of accepted events as it was last seen: another one of its name is empty when it is made. */
export type StreamSeen = {
  /** Its name. */
  _id: string
  /** When nats-server made it, as nats-server says it. */
  created: string
}

const schema = new Schema<StreamSeen>({ _id: String, created: String }, { versionKey: false, collection: 'streams' })

export function streamModel(connection: Connection) {
  return connection.model('Stream', schema)
}
