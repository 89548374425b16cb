import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

export type Person = {
  _id: string
  /** Trimmed, NFC, lower case. */
  email: string
  name: string
  createdAt: Date
  /** Set for reviewers (review-code.ts). */
  reviewCodeMac?: string
  /** When the account ends, with the families it owns. */
  endsAt?: Date
  /** Set when mailed codes are refused. */
  passkeyOnlySince?: Date
  /** Written with every removal of a passkey and every change of the above, so that two at once conflict. */
  passkeysChangedAt?: Date
  /** Set for the operator of the installation: whoever set up its first family, or whom the operator command added. */
  operatorSince?: Date
}

const schema = rowSchema<Person>(
  'people',
  {
    _id: String,
    email: String,
    name: String,
    createdAt: Date,
    reviewCodeMac: String,
    endsAt: Date,
    passkeyOnlySince: Date,
    passkeysChangedAt: Date,
    operatorSince: Date,
  },
  { personId: 'apart' },
  {
    global: 'a person may be in several workspaces, and an email address is one person’s',
    rowsPerWorkspace: 3,
    rowBytes: 250,
  },
)
schema.index({ email: 1 }, { unique: true })
schema.index({ endsAt: 1 }, { sparse: true })

export function personModel(connection: Connection) {
  return connection.model('Person', schema)
}
