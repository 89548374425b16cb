import { Admission, type AuthenticateResult, type Caller, type Credential } from '@family-inbox/proto/auth/v1/auth'
import { onPrimary } from '@family-inbox/service-kit/mongo/on-primary'
import { readAll } from '@family-inbox/service-kit/mongo/read-all'
import type { PrincipalClaims } from '@family-inbox/service-kit/rpc/identity'
import type { Collection, mongo } from 'mongoose'
import type { Context } from '../context.ts'
import { hashSecret } from '../secret.ts'
import { hasCapacity, toRetryAfterSec, type Window, waitMs, withNow } from './sliding-window.ts'

export const GATEWAY = 'gateway'
/** Above this limit no window is kept, so calls are not limited. */
const MAX_CALLS_KEPT = 1000
/** MongoDB's error for a string that is no date. */
const CONVERSION_FAILURE = 241

/** How credentials of one kind are found. Their records have `revokedAt`, `lastUsedAt` and `calls`. */
export type CredentialRule<Row> = {
  collection: Collection
  hashField: string
  fields: (hashes: string[]) => mongo.Document
  hashesOf: (row: Row) => string[]
  isValid: (row: Row, hash: string) => boolean
  changes: (row: Row, credential: Credential) => mongo.Document | undefined
  toCaller: (row: Row, hash: string) => Omit<Caller, 'principal'> & OnlyInPrincipal
}

type OnlyInPrincipal = Pick<PrincipalClaims, 'email' | 'access' | 'verifiedAt'>

/** Without the credentials that nobody knows. */
export type Admitted = Map<Credential, AuthenticateResult>

type Found<Row> = { credential: Credential; hash: string; row: Row & { _id: string; waitMs: number } }

/**
 * Checks and counts calls that arrive together: one read and one update for all. Each record is updated atomically, so its limit
 * is exact across replicas.
 */
export async function spendCalls<Row>(
  ctx: Context,
  rule: CredentialRule<Row>,
  credentials: Credential[],
): Promise<Admitted> {
  const found = await findRecords(ctx, rule, credentials)
  const valid = new Set(found.filter(({ row, hash }) => rule.isValid(row, hash)))
  const late = await countCalls(
    ctx,
    rule,
    [...valid].filter(({ row }) => row.waitMs <= 0),
  )
  const waits = await findRecords(ctx, rule, late)

  const results: Admitted = new Map()
  for (const one of found)
    if (!valid.has(one)) results.set(one.credential, refuse(rule, one, Admission.UNKNOWN_CREDENTIAL))
    else if (one.row.waitMs > 0) results.set(one.credential, refuse(rule, one, Admission.LIMITED))
    else if (!late.includes(one.credential)) results.set(one.credential, await admit(ctx, rule, one))
  for (const one of waits) results.set(one.credential, refuse(rule, one, Admission.LIMITED))
  return results
}

async function findRecords<Row>(
  ctx: Context,
  { collection, hashField, fields, hashesOf }: CredentialRule<Row>,
  credentials: Credential[],
): Promise<Found<Row>[]> {
  if (credentials.length === 0) return []
  const hashes = credentials.map(({ value }) => hashSecret(value))
  const window = windowOf(ctx)
  const projection = { ...fields(hashes), waitMs: window === undefined ? { $literal: 0 } : waitMs('$calls', window) }
  const rows = await readAll<Found<Row>['row']>(collection, { filter: { [hashField]: { $in: hashes } }, projection })
  const byHash = new Map(rows.flatMap((row) => hashesOf(row).map((hash) => [hash, row] as const)))
  return credentials.flatMap((credential, index) => {
    const hash = hashes[index] as string
    const row = byHash.get(hash)
    return row === undefined ? [] : [{ credential, hash, row }]
  })
}

/**
 * A bare command: MongoDB keeps more about an update that the driver can retry. A new primary may count a call twice. Any other call that
 * fails here is answered with a request to try again. Acknowledged before it is journaled, unlike other writes.
 * @returns those whose last call was taken after it was read
 */
async function countCalls<Row>(
  ctx: Context,
  { collection, changes }: CredentialRule<Row>,
  asking: Found<Row>[],
): Promise<Credential[]> {
  if (asking.length === 0) return []
  const window = windowOf(ctx)
  const counted = window && {
    calls: { $cond: [hasCapacity('$calls', window), withNow('$calls', window.limit), NO_CAPACITY] },
  }
  const updates = asking.map(({ credential, row }) => ({
    q: { _id: row._id },
    u: [{ $set: { lastUsedAt: '$$NOW', ...counted, ...changes(row, credential) } }] as const,
  }))
  const command = { update: collection.collectionName, updates, ordered: false, writeConcern: { w: 1 } }
  const { writeErrors = [] } = await onPrimary(() => (ctx.connection.db as mongo.Db).command(command))
  if (updates.some(({ u: [{ $set }] }) => 'alarmDueAt' in $set)) ctx.wake.alarms()
  return (writeErrors as WriteError[]).map(({ index, code, errmsg }) => {
    if (code !== CONVERSION_FAILURE) throw new Error(errmsg)
    return (asking[index] as Found<Row>).credential
  })
}

type WriteError = { index: number; code: number; errmsg: string }

/** No id is a date, so this update fails, and its error has its index: a filter would not say which calls were refused. */
const NO_CAPACITY = { $toDate: '$_id' }

function windowOf({ config }: Context): Window | undefined {
  return config.callsPerMinute > MAX_CALLS_KEPT ? undefined : { limit: config.callsPerMinute, ms: 60_000 }
}

async function admit<Row>(
  ctx: Context,
  { toCaller }: CredentialRule<Row>,
  { row, hash }: Found<Row>,
): Promise<AuthenticateResult> {
  const { email, access, verifiedAt, ...caller } = toCaller(row, hash)
  const principal = await ctx.identity.principalToken({ ...caller, email, access, verifiedAt }, GATEWAY)
  return { admission: Admission.ADMITTED, caller: { ...caller, principal }, retryAfterSec: 0 }
}

function refuse<Row>(
  { toCaller }: CredentialRule<Row>,
  { row, hash }: Found<Row>,
  admission: Admission,
): AuthenticateResult {
  const { email: _email, access: _access, verifiedAt: _verifiedAt, ...caller } = toCaller(row, hash)
  const retryAfterSec = admission === Admission.LIMITED ? toRetryAfterSec(row.waitMs) : 0
  return { admission, caller: { ...caller, principal: '' }, retryAfterSec }
}
