import { type Connection, Schema } from 'mongoose'

/** Somebody the household looks after. */
export type LovedOne = {
  _id: string
  workspaceId: string
  name: string
  createdAt: Date
}

const schema = new Schema<LovedOne>(
  { _id: String, workspaceId: String, name: String, createdAt: Date },
  { versionKey: false, collection: 'loved_ones' },
)
schema.index({ workspaceId: 1, createdAt: 1 })

export function lovedOneModel(connection: Connection) {
  return connection.model('LovedOne', schema)
}
