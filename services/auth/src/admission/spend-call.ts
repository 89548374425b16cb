import { Admission, type AuthenticateResult, type Caller } from '@family-inbox/proto/auth/v1/auth'
import type { mongo } from 'mongoose'
import type { Context } from '../context.ts'
import { hasRoom, toRetryAfterSec, type Window, waitMs, withNow } from './sliding-window.ts'

/** The one service that authenticates calls, and so holds their principals. */
export const GATEWAY = 'gateway'
/** Above this many calls a minute there is no window to keep: the setting then means "no limit". */
const MOST_CALLS_KEPT = 1000

/**
 * How a kind of credential is found and judged. Its record has `revokedAt`, `lastUsedAt`, and in `calls` the times of its
 * latest calls.
 */
export type CredentialRule<Row> = {
  collection: mongo.Collection
  /** Finds the record by an index, whether or not the credential is still good. */
  match: mongo.Document
  /** What must hold besides not being revoked. */
  good: mongo.Document
  /** What an admitted call changes besides the call itself. */
  touch?: mongo.Document
  /** The fields `toCaller` needs. */
  fields: mongo.Document
  toCaller: (row: Row) => Omit<Caller, 'principal'> & { email?: string }
}

/**
 * Looks a credential up, checks that it is good, spends one of its calls and notes its last use, in one atomic update. The
 * window is exact, whichever replica asks: MongoDB's clock and the times of the latest calls decide. These counters are
 * the one write that is not journaled before it is acknowledged.
 */
export async function spendCall<Row>(ctx: Context, rule: CredentialRule<Row>): Promise<AuthenticateResult> {
  const window: Window = { limit: ctx.config.callsPerMinute, ms: 60_000 }
  const isLimited = window.limit <= MOST_CALLS_KEPT
  const row = await rule.collection.findOneAndUpdate(
    isLimited ? { $and: [isGood(rule), { $expr: hasRoom('$calls', window) }] } : isGood(rule),
    [{ $set: { ...rule.touch, lastUsedAt: '$$NOW', ...(isLimited && { calls: withNow('$calls', window.limit) }) } }],
    { projection: rule.fields, writeConcern: { w: 1 } },
  )
  if (row === null) return explainRefusal(rule, window)
  const { email, ...caller } = rule.toCaller(row as Row)
  const principal = await ctx.identity.principalToken({ ...caller, email }, GATEWAY)
  return { admission: Admission.ADMITTED, caller: { ...caller, principal }, retryAfterSec: 0 }
}

function isGood<Row>({ match, good }: CredentialRule<Row>): mongo.Document {
  return { ...match, revokedAt: null, ...good }
}

/** Why a credential was not admitted: out of calls and for how long, no longer good, or unknown. */
async function explainRefusal<Row>(rule: CredentialRule<Row>, window: Window): Promise<AuthenticateResult> {
  const { collection, match, fields } = rule
  const projection = { ...fields, waitMs: waitMs('$calls', window) }
  const limited = await collection.findOne<Row & { waitMs: number }>(isGood(rule), { projection })
  if (limited !== null)
    return {
      admission: Admission.LIMITED,
      caller: withoutPrincipal(rule, limited),
      retryAfterSec: toRetryAfterSec(limited.waitMs),
    }
  const ended = await collection.findOne(match, { projection: fields })
  return {
    admission: Admission.UNKNOWN_CREDENTIAL,
    caller: ended === null ? undefined : withoutPrincipal(rule, ended as Row),
    retryAfterSec: 0,
  }
}

function withoutPrincipal<Row>(rule: CredentialRule<Row>, row: Row): Caller {
  const { email: _, ...caller } = rule.toCaller(row)
  return { ...caller, principal: '' }
}
