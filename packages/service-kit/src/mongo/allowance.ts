import { type Connection, Schema } from 'mongoose'
import { StatusError } from '../rpc/status-error.ts'
import { isDuplicateKey } from './mongo.ts'

export type Allowance = {
  _id: string
  /** Newest first, at most as many as the largest limit. */
  spent: { mailId: string; at: Date }[]
  expiresAt: Date
}

export type AllowanceWindow = { most: number; ms: number }

export type AllowanceScope = {
  _id: string
  windows: readonly AllowanceWindow[]
  refusal: string
}

const schema = new Schema<Allowance>(
  {
    _id: String,
    spent: [{ _id: false, mailId: String, at: Date }],
    expiresAt: Date,
  },
  { versionKey: false, collection: 'mail_allowances' },
)
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function allowanceModel(connection: Connection) {
  return connection.model('MailAllowance', schema)
}

type Allowances = ReturnType<typeof allowanceModel>

/** Spends one mail of every scope or of none, once per mail id. @throws StatusError RESOURCE_EXHAUSTED with the longest wait */
export async function spendAllowance(
  allowances: Allowances,
  scopes: readonly AllowanceScope[],
  mailId: string,
): Promise<void> {
  // Checked first, so that a mail that will be refused rarely takes from the other scopes, even for a moment.
  await requireAllowance(allowances, scopes, mailId)
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

async function requireAllowance(allowances: Allowances, scopes: readonly AllowanceScope[], mailId: string) {
  const waits = await Promise.all(scopes.map((scope) => waitingTime(allowances, scope, mailId)))
  const longest = Math.max(...waits)
  if (longest > 0) throw usedUp(scopes[waits.indexOf(longest)]?.refusal ?? '', longest)
}

async function spend(allowances: Allowances, scope: AllowanceScope, mailId: string): Promise<boolean> {
  const { _id, windows } = scope
  const now = Date.now()
  const hasCapacity = windows.map(({ most, ms }) => ({
    [`spent.${most - 1}.at`]: { $not: { $gt: new Date(now - ms) } },
  }))
  const kept = Math.max(...windows.map(({ most }) => most))
  const expiresAt = new Date(now + Math.max(...windows.map(({ ms }) => ms)))
  try {
    await allowances.updateOne(
      { _id, 'spent.mailId': { $ne: mailId }, $and: hasCapacity },
      { $push: { spent: { $each: [{ mailId, at: new Date(now) }], $position: 0, $slice: kept } }, $set: { expiresAt } },
      { upsert: true },
    )
    return true
  } catch (error) {
    // The document exists and does not match, so the upsert tried to insert another; or two mails inserted it at the same moment.
    if (!isDuplicateKey(error)) throw error
    if (await allowances.exists({ _id, 'spent.mailId': mailId })) return false
    await requireAllowance(allowances, [scope], mailId)
    return spend(allowances, scope, mailId)
  }
}

/** Milliseconds until the mail may be sent; 0 if it is already paid for. */
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
