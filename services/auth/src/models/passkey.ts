import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

export type Passkey = {
  _id: string
  personId: string
  name: string
  credentialId: string
  /** A COSE key (RFC 9052), base64url. */
  publicKey: string
  /** The highest signature counter seen; 0 for authenticators without one. */
  counter: number
  transports: string[]
  createdAt: Date
  lastUsedAt?: Date
  /** When a sign-in was last refused because the counter went backwards, the sign of a copied passkey. */
  suspectedAt?: Date
}

const schema = rowSchema<Passkey>(
  'passkeys',
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
  { personId: 'field' },
  {
    global: 'a person signs in before choosing a workspace',
    shardKey: { credentialId: 1 },
    rowsPerWorkspace: 2,
    rowBytes: 500,
  },
)
schema.index({ credentialId: 1 }, { unique: true })
schema.index({ personId: 1, createdAt: -1, _id: -1 })

export function passkeyModel(connection: Connection) {
  return connection.model('Passkey', schema)
}
