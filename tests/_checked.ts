import type { MongoClient } from 'mongodb'
import { until } from './_wait.ts'

/** `verified` with a DMARC policy, `signed` without one. Undefined while the check has not ended. */
export type Verdict = 'verified' | 'signed' | 'none' | 'fail' | undefined

const RESULTS: Record<Exclude<Verdict, undefined>, { dkim: string; dmarc: string; aligned: boolean }> = {
  verified: { dkim: 'pass', dmarc: 'pass', aligned: true },
  signed: { dkim: 'pass', dmarc: 'none', aligned: true },
  none: { dkim: 'none', dmarc: 'none', aligned: false },
  fail: { dkim: 'none', dmarc: 'fail', aligned: false },
}

/** Matches mail that is not indexed, checked, and in its conversation. */
export const UNJOINED = { $or: [{ authenticityPending: true }, { indexPending: true }, { joinPending: true }] }

/** Waits until all mail of a family is indexed, checked, and in its conversation. */
export async function untilJoined(mongo: MongoClient, workspaceId: string): Promise<void> {
  const messages = mongo.db().collection('messages')
  await until(async () => (await messages.countDocuments({ workspaceId, ...UNJOINED })) === 0)
}

/**
 * Leaves messages as a check with this result would, and waits until they have joined their conversations. Tests have no DNS, so
 * mail that arrives is of an unproven sender.
 * @param mongo the database of inbox (tests/_database.ts)
 */
export async function setCheck(mongo: MongoClient, filter: { workspaceId: string }, verdict: Verdict): Promise<void> {
  await untilJoined(mongo, filter.workspaceId)
  const messages = mongo.db().collection('messages')
  const authenticity = verdict && { spf: 'none', arc: 'none', ...RESULTS[verdict] }
  const change = authenticity ? { $set: { authenticity, joinPending: true } } : { $unset: { authenticity: 1 as const } }
  await messages.updateMany(filter, change)
  await untilJoined(mongo, filter.workspaceId)
}
