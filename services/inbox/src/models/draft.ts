import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** A member’s unsent text, by message. */
export type Draft = {
  _id: string
  workspaceId: string
  messageRowId: string
  personId: string
  body: string
  changedAt: Date
}

const KEPT_SECONDS = 90 * DAY_SEC

const schema = rowSchema<Draft>(
  'drafts',
  {
    _id: String,
    workspaceId: String,
    messageRowId: String,
    personId: String,
    body: String,
    changedAt: Date,
  },
  { workspaceId: 'field', personId: '_id/', messageRowId: 'field' },
)
schema.index({ messageRowId: 1 })
schema.index({ workspaceId: 1 })
schema.index({ changedAt: 1 }, { expireAfterSeconds: KEPT_SECONDS })

export function draftModel(connection: Connection) {
  return connection.model('Draft', schema)
}

export function draftId(personId: string, messageRowId: string): string {
  return `${personId}/${messageRowId}`
}
