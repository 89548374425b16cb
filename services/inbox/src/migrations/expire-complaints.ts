import type { Connection } from 'mongoose'
import { STOPPED_MS, type StoppedRecipient } from '../models/stopped-recipient.ts'

/** Complaints used to stop an address without end. */
export async function expireComplaints(connection: Connection): Promise<void> {
  const expiresAt = { $add: ['$stoppedAt', STOPPED_MS.complaint] }
  await connection
    .collection<StoppedRecipient>('stopped_recipients')
    .updateMany({ expiresAt: { $exists: false } }, [{ $set: { expiresAt } }])
}
