import { type Connection, Schema } from 'mongoose'
import { StatusError } from '../rpc/status-error.ts'
import { isDuplicateKey } from './mongo.ts'
import type { Sharding } from './sharding.ts'

type MailLimit = {
  _id: string
  /** Newest first, at most as many as the largest limit. */
  spent: { mailId: string; at: Date }[]
  expiresAt: Date
}

export type RateWindow = { most: number; ms: number }

export type RateLimit = {
  _id: string
  windows: readonly RateWindow[]
  /** What to answer; the wait is in the detail. */
  refusal?: string
  /** The id that counts here, if it is not the mail’s: a mail to several people counts several times. */
  counts?: string
}

/** The collection keeps its older name: replicas of two versions count together. */
const OPTIONS = {
  versionKey: false as const,
  collection: 'mail_allowances',
  sharding: {
    global: 'counts by recipient and by network, too',
    shardKey: { _id: 'hashed' },
    rowsPerWorkspace: 5,
    rowBytes: 600,
  },
} satisfies { sharding: Sharding; [option: string]: unknown }

const schema = new Schema<MailLimit>(
  {
    _id: String,
    spent: [{ _id: false, mailId: String, at: Date }],
    expiresAt: Date,
  },
  OPTIONS,
)
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function mailLimitModel(connection: Connection) {
  return connection.model('MailLimit', schema)
}

type Rows = ReturnType<typeof mailLimitModel>

/** Counts a mail in every limit or in none, once per mail id. @throws StatusError RESOURCE_EXHAUSTED with the longest wait */
export async function spendRateLimits(rows: Rows, limits: readonly RateLimit[], mailId: string): Promise<void> {
  // Checked first, so that a mail that will be refused rarely counts in the other limits, even for a moment.
  const counted = limits.map((limit) => ({ ...limit, counts: limit.counts ?? mailId }))
  await requireCapacity(rows, counted)
  const outcomes = await Promise.allSettled(counted.map((limit) => spend(rows, limit)))
  const refused = outcomes.find((outcome) => outcome.status === 'rejected')
  if (refused === undefined) return
  const taken = counted.filter((_, index) => {
    const outcome = outcomes[index]
    return outcome?.status === 'fulfilled' && outcome.value
  })
  await rows.bulkWrite(
    taken.map(({ _id, counts }) => ({
      updateOne: { filter: { _id }, update: { $pull: { spent: { mailId: counts } } } },
    })),
  )
  throw refused.reason
}

/** The same for mail that is left out when there was too much. @returns whether it counted */
export async function trySpendRateLimits(...args: Parameters<typeof spendRateLimits>): Promise<boolean> {
  try {
    await spendRateLimits(...args)
    return true
  } catch (error) {
    if (error instanceof StatusError && error.status === 'RESOURCE_EXHAUSTED') return false
    throw error
  }
}

type CountedLimit = RateLimit & { counts: string }

async function requireCapacity(rows: Rows, limits: readonly CountedLimit[]) {
  const found = await rows.find({ _id: { $in: limits.map(({ _id }) => _id) } }).lean()
  const spentOn = new Map(found.map(({ _id, spent }) => [_id, spent]))
  const waits = limits.map((limit) => waitingTime(limit, spentOn.get(limit._id)))
  const longest = Math.max(...waits)
  if (longest > 0) throw usedUp(limits[waits.indexOf(longest)]?.refusal ?? '', longest)
}

async function spend(rows: Rows, limit: CountedLimit): Promise<boolean> {
  const { _id, windows, counts: mailId } = limit
  const now = Date.now()
  const hasCapacity = windows.map(({ most, ms }) => ({
    [`spent.${most - 1}.at`]: { $not: { $gt: new Date(now - ms) } },
  }))
  const kept = Math.max(...windows.map(({ most }) => most))
  const expiresAt = new Date(now + Math.max(...windows.map(({ ms }) => ms)))
  try {
    await rows.updateOne(
      { _id, 'spent.mailId': { $ne: mailId }, $and: hasCapacity },
      { $push: { spent: { $each: [{ mailId, at: new Date(now) }], $position: 0, $slice: kept } }, $set: { expiresAt } },
      { upsert: true },
    )
    return true
  } catch (error) {
    // The document exists and does not match, so the upsert tried to insert another; or two mails inserted it at the same moment.
    if (!isDuplicateKey(error)) throw error
    if (await rows.exists({ _id, 'spent.mailId': mailId })) return false
    await requireCapacity(rows, [limit])
    return spend(rows, limit)
  }
}

/** Milliseconds until the mail may be sent; 0 if it is already paid for. */
function waitingTime(limit: CountedLimit, spent: MailLimit['spent'] = []): number {
  if (spent.some((mail) => mail.mailId === limit.counts)) return 0
  const waits = limit.windows.map(({ most, ms }) => {
    const earliest = spent[most - 1]
    return earliest === undefined ? 0 : earliest.at.getTime() + ms - Date.now()
  })
  return Math.max(0, ...waits)
}

function usedUp(message: string, waitMs: number): StatusError {
  return new StatusError('RESOURCE_EXHAUSTED', message, { retryAfterSec: Math.ceil(waitMs / 1000) })
}
