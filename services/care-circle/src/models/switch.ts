import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** What the operator switched for the whole installation. Without a row the setting counts. */
export type Switch = {
  /** Its name. */
  _id: string
  value: string
  changedAt: Date
}

const schema = rowSchema<Switch>(
  'switches',
  { _id: String, value: String, changedAt: Date },
  {},
  { global: 'they are of the whole installation' },
)

export function switchModel(connection: Connection) {
  return connection.model('Switch', schema)
}

export async function findSwitches(
  switches: ReturnType<typeof switchModel>,
): Promise<{ name: string; value: string }[]> {
  const rows = await switches.find({}, { value: 1 }).lean()
  return rows.map(({ _id, value }) => ({ name: _id, value }))
}
