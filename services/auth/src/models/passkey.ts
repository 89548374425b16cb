import { type Connection, Schema } from 'mongoose'

/** A passkey somebody signs in with. Its private key never leaves their authenticator. */
export type Passkey = {
  _id: string
  personId: string
  /** What its person calls it. */
  name: string
  /** The authenticator's id for it, base64url. */
  credentialId: string
  /** A COSE key (RFC 9052), base64url. */
  publicKey: string
  /** The highest signature counter seen; 0 for authenticators that do not count. */
  counter: number
  transports: string[]
  createdAt: Date
  lastUsedAt?: Date
  /** When it was last refused because its counter went backwards, as a copy's would. */
  suspectedAt?: Date
}

const schema = new Schema<Passkey>(
  {
    _id: String,
    personId: String,
    name: String,
    credentialId: String,
    publicKey: String,
    counter: Number,
    transports: [String],
    createdAt: Date,
    lastUsedAt: Date,
    suspectedAt: Date,
  },
  { versionKey: false, collection: 'passkeys' },
)
schema.index({ credentialId: 1 }, { unique: true })
schema.index({ personId: 1, createdAt: -1, _id: -1 })

export function passkeyModel(connection: Connection) {
  return connection.model('Passkey', schema)
}
