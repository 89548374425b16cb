import { type Connection, Schema } from 'mongoose'

/** A secret a partner signs with. At most two are good at a time: the newest, and the one before it for a while. */
export type PartnerSecret = {
  id: string
  createdAt: Date
  /** When it ends by itself. Absent for the newest. */
  expiresAt?: Date
  revokedAt?: Date
  /** The secret itself, encrypted. Gone once it has ended. */
  sealed?: string
}

/** A care agency that pushes events. */
export type Partner = {
  /** The institution id, issued at onboarding. */
  _id: string
  name: string
  active: boolean
  /** Of the signed business associate agreement, such as 2026-05-12. */
  agreementDate?: string
  /** Of the passed security review. */
  reviewDate?: string
  /** Prefixes, each ending in a dot, of further institution ids it may use. */
  namespaces: string[]
  /** Its own id and its namespaces: what an institution id is found by, and what no two partners share. */
  names: string[]
  /** Oldest first. */
  secrets: PartnerSecret[]
  /** Requests without a signature over their time are refused. */
  signedTimestampRequired?: boolean
  /** Goes up with every change of the secrets, so that of two at the same moment one is told. */
  secretsRevision: number
  createdAt: Date
}

const secretSchema = new Schema<PartnerSecret>(
  { id: String, createdAt: Date, expiresAt: Date, revokedAt: Date, sealed: String },
  { _id: false },
)

const schema = new Schema<Partner>(
  {
    _id: String,
    name: String,
    active: Boolean,
    agreementDate: String,
    reviewDate: String,
    namespaces: [String],
    names: [String],
    secrets: [secretSchema],
    signedTimestampRequired: Boolean,
    secretsRevision: Number,
    createdAt: Date,
  },
  { versionKey: false, collection: 'partners' },
)
schema.index({ names: 1 }, { unique: true })
schema.index({ createdAt: -1, _id: -1 })

export function partnerModel(connection: Connection) {
  return connection.model('Partner', schema)
}
