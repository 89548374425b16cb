import { type Connection, Schema } from 'mongoose'

/** Says that an agency's client is a family's loved one, and whether the client's events may cross. */
export type Link = {
  _id: string
  institutionId: string
  /** The agency's own id of its client. */
  subjectRef: string
  /** The partner whose secret signs for the institution. */
  partnerId: string
  workspaceId: string
  lovedOneId: string
  /** Family-share: switched on by the agency. */
  shared: boolean
  /** Absent once purged. A subject has one live link at most. */
  live?: true
  linkedAt: Date
  /** From here on this is a tombstone: nothing that comes through it is ever kept or shown. */
  purgedAt?: Date
  /** How many events the purge deleted. */
  eventsDeleted?: number
  /** When the sweeper purges once more, to find what was under way. */
  purgeDueAt?: Date
}

const schema = new Schema<Link>(
  {
    _id: String,
    institutionId: String,
    subjectRef: String,
    partnerId: String,
    workspaceId: String,
    lovedOneId: String,
    shared: Boolean,
    live: Boolean,
    linkedAt: Date,
    purgedAt: Date,
    eventsDeleted: Number,
    purgeDueAt: Date,
  },
  { versionKey: false, collection: 'links' },
)
schema.index({ institutionId: 1, subjectRef: 1 }, { unique: true, partialFilterExpression: { live: true } })
schema.index({ institutionId: 1, subjectRef: 1, purgedAt: -1 })
schema.index({ workspaceId: 1, lovedOneId: 1 })
schema.index({ purgeDueAt: 1 }, { sparse: true })

export function linkModel(connection: Connection) {
  return connection.model('Link', schema)
}
