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
  toCaller: (row: Row) => Omit<Caller, 'principal'> & { email?: string; access?: LimitedAccess }
}

/** One atomic update, so the limit is exact across replicas. Acknowledged before it is journaled, unlike other writes. */
export async function spendCall<Row>(ctx: Context, rule: CredentialRule<Row>): Promise<AuthenticateResult> {
  const window: Window = { limit: ctx.config.callsPerMinute, ms: 60_000 }
  const isLimited = window.limit <= MAX_CALLS_KEPT
  const row = await rule.collection.findOneAndUpdate(
    isLimited ? { $and: [validFilter(rule), { $expr: hasCapacity('$calls', window) }] } : validFilter(rule),
    [{ $set: { ...rule.touch, lastUsedAt: '$$NOW', ...(isLimited && { calls: withNow('$calls', window.limit) }) } }],
    { projection: rule.fields, writeConcern: { w: 1 } },
  )
  if (row === null) return explainRefusal(rule, window)
  const { email, access, ...caller } = rule.toCaller(row as Row)
  const principal = await ctx.identity.principalToken({ ...caller, email, access }, GATEWAY)
  return { admission: Admission.ADMITTED, caller: { ...caller, principal }, retryAfterSec: 0 }
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
