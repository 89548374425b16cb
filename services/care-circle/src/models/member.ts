import type { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Connection, Schema } from 'mongoose'

/** A membership. The row is deleted when it ends. */
export type Member = {
  /** `memberId(workspaceId, personId)`. */
  _id: string
  workspaceId: string
  personId: string
  name: string
  email: string
  role: Role
  relationship: string
  joinedAt: Date
}

const schema = new Schema<Member>(
  {
    _id: String,
    workspaceId: String,
    personId: String,
    name: String,
    email: String,
    role: String,
    relationship: String,
    joinedAt: Date,
  },
  { versionKey: false, collection: 'members' },
)
schema.index({ workspaceId: 1, joinedAt: 1 })
schema.index({ personId: 1 })

export function memberModel(connection: Connection) {
  return connection.model('Member', schema)
}

export function memberId(workspaceId: string, personId: string): string {
  return `${workspaceId}/${personId}`
}
