import { Admission, type AuthenticateResult, type Caller } from '@family-inbox/proto/auth/v1/auth'
import type { LimitedAccess } from '@family-inbox/service-kit/rpc/identity'
import type { mongo } from 'mongoose'
import type { Context } from '../context.ts'
import { hasCapacity, toRetryAfterSec, type Window, waitMs, withNow } from './sliding-window.ts'

export const GATEWAY = 'gateway'
/** Above this limit no window is kept, so calls are not limited. */
const MAX_CALLS_KEPT = 1000

/** Its record has `revokedAt`, `lastUsedAt` and `calls`. */
type CredentialRule<Row> = {
  collection: mongo.Collection
  /** Finds the record by an index, valid or not. */
  match: mongo.Document
  /** Conditions besides not being revoked. */
  valid: mongo.Document
  touch?: mongo.Document
  fields: mongo.Document
  /** What else changes with an admitted call; undefined for nothing. */
  note?: (row: Row) => mongo.Document | undefined
  toCaller: (row: Row) => Omit<Caller, 'principal'> & { email?: string; access?: LimitedAccess }
}

/** One atomic update, so the limit is exact across replicas. Acknowledged before it is journaled, unlike other writes. */
export async function spendCall<Row extends { _id: string }>(
  ctx: Context,
  rule: CredentialRule<Row>,
): Promise<AuthenticateResult> {
  const window: Window = { limit: ctx.config.callsPerMinute, ms: 60_000 }
  const isLimited = window.limit <= MAX_CALLS_KEPT
  const row = await updateOnce<Row>(ctx, rule, {
    query: isLimited ? { $and: [validFilter(rule), { $expr: hasCapacity('$calls', window) }] } : validFilter(rule),
    update: [
      { $set: { ...rule.touch, lastUsedAt: '$$NOW', ...(isLimited && { calls: withNow('$calls', window.limit) }) } },
    ],
  })
  if (row === null) return explainRefusal(rule, window)
  const note = rule.note?.(row)
  if (note !== undefined) await rule.collection.updateOne({ _id: row._id as never }, [{ $set: note }], ACKNOWLEDGED)
  const { email, access, ...caller } = rule.toCaller(row)
  const principal = await ctx.identity.principalToken({ ...caller, email, access }, GATEWAY)
  return { admission: Admission.ADMITTED, caller: { ...caller, principal }, retryAfterSec: 0 }
}

const ACKNOWLEDGED = { writeConcern: { w: 1 } }

/**
 * A bare command: `findOneAndUpdate` of the driver can be retried, for which MongoDB keeps a copy of each document, a third of
 * the work. A call that fails here is answered with a request to try again.
 */
async function updateOnce<Row>(
  { connection }: Context,
  { collection, fields }: CredentialRule<Row>,
  change: { query: mongo.Document; update: mongo.Document[] },
): Promise<Row | null> {
  const command = { findAndModify: collection.collectionName, ...change, fields, ...ACKNOWLEDGED }
  const { value } = await (connection.db as mongo.Db).command(command)
  return value
}

function validFilter<Row>({ match, valid }: CredentialRule<Row>): mongo.Document {
  return { ...match, revokedAt: null, ...valid }
}

async function explainRefusal<Row>(rule: CredentialRule<Row>, window: Window): Promise<AuthenticateResult> {
  const { collection, match, fields } = rule
  const projection = { ...fields, waitMs: waitMs('$calls', window) }
  const limited = await collection.findOne<Row & { waitMs: number }>(validFilter(rule), { projection })
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
  const { email: _email, access: _access, ...caller } = rule.toCaller(row)
  return { ...caller, principal: '' }
}
