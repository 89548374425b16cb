import type { Connection } from 'mongoose'
import type { Appointment } from '../models/appointment.ts'

/** Sets when the last occurrence ends that is not canceled. An older version did not store that. */
export async function dateActive(connection: Connection): Promise<void> {
  const planned = { $filter: { input: '$occurrences', as: 'one', cond: { $ne: ['$$one.canceled', true] } } }
  const ends = { $map: { input: planned, as: 'one', in: '$$one.endsAt' } }
  const activeUntil = { $ifNull: [{ $max: ends }, new Date(0)] }
  await connection
    .collection<Appointment>('appointments')
    .updateMany({ activeUntil: { $exists: false } }, [{ $set: { activeUntil } }])
}
