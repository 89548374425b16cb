import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** How far published events are confirmed to have left the stream well. One row. */
export type Confirmation = {
  _id: 'events'
  /** Every event received before this is on its timeline, a dead letter, or reported as missing. */
  until: Date
  /** Some events after `until` were on no timeline then. */
  missedAt?: Date
  /** When those were published again. */
  republishedAt?: Date
  /** The replica that works on it holds it until then. */
  heldUntil: Date
}

const schema = rowSchema<Confirmation>(
  'confirmations',
  {
    _id: String,
    until: Date,
    missedAt: Date,
    republishedAt: Date,
    heldUntil: Date,
  },
  {},
  { global: 'one row' },
)

export function confirmationModel(connection: Connection) {
  return connection.model('Confirmation', schema)
}
