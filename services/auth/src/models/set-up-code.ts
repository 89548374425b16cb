import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** The code with which the operator creates the first family. At most one row: a new code replaces the one before. */
export type SetUpCode = {
  _id: string
  hash: string
  tries: number
  expiresAt: Date
  usedAt?: Date
}

export const SET_UP = 'set-up'

/** Stays when it expires, so that its page can say so. */
const schema = rowSchema<SetUpCode>(
  'set_up_codes',
  { _id: String, hash: String, tries: Number, expiresAt: Date, usedAt: Date },
  {},
  { global: 'one row' },
)

export function setUpCodeModel(connection: Connection) {
  return connection.model('SetUpCode', schema)
}
