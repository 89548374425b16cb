import { type Connection, Schema } from 'mongoose'

/** Something that happened to a loved one, as a care agency reported it. */
export type CareEvent = {
  _id: string
  workspaceId: string
  lovedOneId: string
  eventType: string
  occurredAt: Date
  receivedAt: Date
}

const schema = new Schema<CareEvent>(
  { _id: String, workspaceId: String, lovedOneId: String, eventType: String, occurredAt: Date, receivedAt: Date },
  { versionKey: false, collection: 'care_events' },
)
schema.index({ workspaceId: 1, lovedOneId: 1, occurredAt: -1, _id: -1 })

export function careEventModel(connection: Connection) {
  return connection.model('CareEvent', schema)
}
