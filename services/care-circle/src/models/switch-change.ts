import { expiresAfter } from '@family-inbox/service-kit/mongo/mongo'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** That an operator switched something. */
export type SwitchChange = {
  _id: string
  name: string
  value: string
  before: string
  personId: string
  changedAt: Date
}

const KEPT_DAYS = 365

/** It stays when the person leaves, under an id that no longer resolves. */
const schema = rowSchema<SwitchChange>(
  'switch_changes',
  { _id: String, name: String, value: String, before: String, personId: String, changedAt: Date },
  { personId: 'kept' },
  { global: 'they are of the whole installation' },
)
schema.index({ changedAt: 1 }, expiresAfter(KEPT_DAYS))

export function switchChangeModel(connection: Connection) {
  return connection.model('SwitchChange', schema)
}
