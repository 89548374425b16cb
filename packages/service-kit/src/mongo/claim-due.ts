import type { mongo } from 'mongoose'
import type { Sweep } from '../lifecycle/sweep.ts'
import { earliest } from './rows.ts'

/** Another replica then takes over. */
const LEASE_MS = 20_000

export type DueRows = {
  rows: { collection: Pick<mongo.Collection, 'findOne' | 'findOneAndUpdate'> }
  /** The indexed field with the time when a row is due. */
  field: string
  leaseMs?: number
  filter?: () => Record<string, unknown>
  /** What a claim sets, too, as a stage of an update pipeline. */
  set?: Record<string, unknown>
}

/** Claims the row that is due longest: it is due again when the lease ends, unless whoever claimed it sets another time. */
export async function claimDue<Row>(due: DueRows): Promise<Row | null> {
  const { rows, field, leaseMs = LEASE_MS, filter, set } = due
  const now = Date.now()
  return (await rows.collection.findOneAndUpdate(
    { [field]: { $lte: new Date(now) }, ...filter?.() },
    [{ $set: { ...set, [field]: new Date(now + leaseMs) } }],
    { sort: { [field]: 1 }, returnDocument: 'after' },
  )) as Row | null
}

/** The part of a sweeper that handles one due row after another. Safe on any number of replicas. */
export function sweepDue<Row>(due: DueRows, handle: (row: Row) => Promise<unknown>): Pick<Sweep, 'dueAt' | 'sweep'> {
  return {
    dueAt: () => earliest(due.rows, due.field, due.filter?.()),
    async sweep() {
      const row = await claimDue<Row>(due)
      if (row !== null) await handle(row)
      return row !== null
    },
  }
}
