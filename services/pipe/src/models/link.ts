import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

export type Link = {
  _id: string
  institutionId: string
  subjectRef: string
  partnerId: string
  workspaceId: string
  lovedOneId: string
  /** Set by the agency. */
  shared: boolean
  /** When `shared` last changed. Absent: never. */
  shareChangedAt?: Date
  /** Absent once purged. A subject has at most one live link. */
  live?: true
  linkedAt: Date
  /** From then on no event through this link is kept or shown. */
  purgedAt?: Date
  eventsDeleted?: number
  /** When the sweeper purges again, to catch events in flight. */
  purgeDueAt?: Date
}

const schema = rowSchema<Link>(
  'links',
  {
    _id: String,
    institutionId: String,
    subjectRef: String,
    partnerId: String,
    workspaceId: String,
    lovedOneId: String,
    shared: Boolean,
    shareChangedAt: Date,
    live: Boolean,
    linkedAt: Date,
    purgedAt: Date,
    eventsDeleted: Number,
    purgeDueAt: Date,
  },
  { workspaceId: 'apart' },
  {
    global: 'an agency names its client, not the workspace',
    shardKey: { institutionId: 1, subjectRef: 1 },
    rowsPerWorkspace: 0.1,
    rowBytes: 400,
  },
)
schema.index({ institutionId: 1, subjectRef: 1 }, { unique: true, partialFilterExpression: { live: true } })
schema.index({ institutionId: 1, subjectRef: 1, purgedAt: -1 })
schema.index({ workspaceId: 1, lovedOneId: 1 })
schema.index({ purgeDueAt: 1 }, { sparse: true })

export function linkModel(connection: Connection) {
  return connection.model('Link', schema)
}
