import { type Connection, Schema } from 'mongoose'
import { StatusError } from '../rpc/status-error.ts'
import { isDuplicateKey } from './mongo.ts'

/** What was spent lately of one allowance, such as the mails one person sent. */
export type Allowance = {
  /** Whose: a scope's own key. */
  _id: string
  /** Newest first, no more than the largest limit. */
  spent: { mailId: string; at: Date }[]
  forgetAt: Date
}

/** At most so many in any time of this length, in milliseconds. */
export type AllowanceWindow = { most: number; ms: number }

export type AllowanceScope = {
  _id: string
  windows: readonly AllowanceWindow[]
  /** What is said when it is used up, as one sentence or two. */
  refusal: string
}

const schema = new Schema<Allowance>(
  { _id: String, spent: [{ _id: false, mailId: String, at: Date }], forgetAt: Date },
  { versionKey: false, collection: 'mail_allowances' },
)
schema.index({ forgetAt: 1 }, { expireAfterSeconds: 0 })

export function allowanceModel(connection: Connection) {
  return connection.model('MailAllowance', schema)
}

type Allowances = ReturnType<typeof allowanceModel>

/**
 * Spends one mail of every scope, or of none. Spending for the same mail again spends nothing. Exact across replicas: the
 * limits are in the filter of the update that spends.
 * @throws StatusError RESOURCE_EXHAUSTED in the words of the scope with the longest wait, with the seconds to wait
 */
export async function spendAllowance(
  allowances: Allowances,
  scopes: readonly AllowanceScope[],
  mailId: string,
): Promise<void> {
  // Asked first, so that a mail that will be refused rarely takes what the others have, even for a moment.
  await requireRoom(allowances, scopes, mailId)
  const outcomes = await Promise.allSettled(scopes.map((scope) => spend(allowances, scope, mailId)))
  const refused = outcomes.find((outcome) => outcome.status === 'rejected')
  if (refused === undefined) return
  const taken = scopes.filter((_, index) => {
    const outcome = outcomes[index]
    return outcome?.status === 'fulfilled' && outcome.value
  })
  await allowances.updateMany({ _id: { $in: taken.map(({ _id }) => _id) } }, { $pull: { spent: { mailId } } })
  throw refused.reason
}

async function requireRoom(allowances: Allowances, scopes: readonly AllowanceScope[], mailId: string) {
  const waits = await Promise.all(scopes.map((scope) => waitingTime(allowances, scope, mailId)))
  const longest = Math.max(...waits)
  if (longest > 0) throw usedUp(scopes[waits.indexOf(longest)]?.refusal ?? '', longest)
}

/** Whether this call has spent it; false when it was spent for this mail before. */
async function spend(allowances: Allowances, scope: AllowanceScope, mailId: string): Promise<boolean> {
  const { _id, windows } = scope
  const now = Date.now()
  const room = windows.map(({ most, ms }) => ({ [`spent.${most - 1}.at`]: { $not: { $gt: new Date(now - ms) } } }))
  const kept = Math.max(...windows.map(({ most }) => most))
  const forgetAt = new Date(now + Math.max(...windows.map(({ ms }) => ms)))
  try {
    await allowances.updateOne(
      { _id, 'spent.mailId': { $ne: mailId }, $and: room },
      { $push: { spent: { $each: [{ mailId, at: new Date(now) }], $position: 0, $slice: kept } }, $set: { forgetAt } },
      { upsert: true },
    )
    return true
  } catch (error) {
    // The row is there and does not match, so the upsert tried to make another; or two mails made it at the same moment.
    if (!isDuplicateKey(error)) throw error
    if (await allowances.exists({ _id, 'spent.mailId': mailId })) return false
    await requireRoom(allowances, [scope], mailId)
    return spend(allowances, scope, mailId)
  }
}

/** Milliseconds until the mail may be made; 0 for one that is spent for. */
async function waitingTime(allowances: Allowances, scope: AllowanceScope, mailId: string): Promise<number> {
  const { spent = [] } = (await allowances.findById(scope._id).lean()) ?? {}
  if (spent.some((mail) => mail.mailId === mailId)) return 0
  const waits = scope.windows.map(({ most, ms }) => {
    const earliest = spent[most - 1]
    return earliest === undefined ? 0 : earliest.at.getTime() + ms - Date.now()
  })
  return Math.max(0, ...waits)
}

function usedUp(message: string, waitMs: number): StatusError {
  return new StatusError('RESOURCE_EXHAUSTED', message, { retryAfterSec: Math.ceil(waitMs / 1000) })
}
