import { timingSafeEqual } from 'node:crypto'
import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { Context } from '../context.ts'
import type { OauthRecord } from '../models/oauth-record.ts'
import { hashSecret } from '../secret.ts'
import { revokeGrants } from './revoke-grants.ts'

/** The processes of a client may refresh together. Later reuse means theft and revokes the grant (RFC 9700 section 4.14.2). */
const REFRESH_GRACE_MS = 60_000
/** Days a client is kept without a grant, or after its last grant ended. */
const UNUSED_DAYS = 30

export function recordAdapter(ctx: Context, model: string): Adapter {
  const idOf = (id: string) => recordId(model, id)
  return {
    async upsert(id, payload, expiresIn) {
      const record = toRecord(model, payload, expiresIn)
      await ctx.oauthRecords.updateOne({ _id: idOf(id) }, { $set: record }, { upsert: true })
    },
    async find(id) {
      const record = await ctx.oauthRecords.findById(idOf(id)).lean()
      return record ? { ...readPayload(record), jti: id } : undefined
    },
    async findByUid(uid) {
      const record = await ctx.oauthRecords.findOne({ uid, model }).lean()
      return record ? readPayload(record) : undefined
    },
    async findByUserCode() {
      return undefined
    },
    async consume(id) {
      const first = await ctx.oauthRecords
        .findOneAndUpdate({ _id: idOf(id), consumedAt: null }, { consumedAt: new Date() })
        .lean()
      if (first === null) await consumeAgain(ctx, model, idOf(id))
    },
    async destroy(id) {
      await ctx.oauthRecords.deleteOne({ _id: idOf(id) })
    },
    async revokeByGrantId(grantId) {
      await ctx.oauthRecords.deleteMany({ grantId, model })
    },
  }
}

function recordId(model: string, id: string): string {
  return `${model}/${hashSecret(id)}`
}

/** Reached only by concurrent requests; for later ones `find` already reports the record as consumed. */
async function consumeAgain(ctx: Context, model: string, _id: string): Promise<void> {
  if (model === 'RefreshToken') return
  const record = await ctx.oauthRecords.findById(_id).lean()
  if (record?.grantId) await revokeGrants(ctx, { _id: record.grantId })
  throw new errors.InvalidGrant('already used')
}

function toRecord(model: string, { jti: _, ...payload }: AdapterPayload, expiresIn?: number): Omit<OauthRecord, '_id'> {
  const { session, ...rest } = payload as AdapterPayload & { session?: { cookie?: string } }
  const { cookie: __, ...withoutCookie } = session ?? {} // a secret nothing reads here
  return {
    model,
    payload: JSON.stringify({ ...rest, ...(session && { session: withoutCookie }) }),
    ...(typeof payload.grantId === 'string' && { grantId: payload.grantId }),
    ...(typeof payload.uid === 'string' && { uid: payload.uid }),
    ...(expiresIn !== undefined && { expiresAt: new Date(Date.now() + expiresIn * 1000) }),
  }
}

function readPayload({ model, payload, consumedAt }: OauthRecord): AdapterPayload {
  const isInGrace = model === 'RefreshToken' && Date.now() - (consumedAt?.getTime() ?? 0) < REFRESH_GRACE_MS
  const consumed = consumedAt && !isInGrace ? { consumed: Math.floor(consumedAt.getTime() / 1000) } : {}
  return { ...JSON.parse(payload), ...consumed }
}

export function clientAdapter(ctx: Context): Adapter {
  const records = recordAdapter(ctx, 'Client')
  return {
    ...records,
    upsert: (id, payload) => records.upsert(id, withHashedSecret(payload), UNUSED_DAYS * DAY_SEC),
  }
}

export async function extendClient(ctx: Context, clientId: string, grantExpiresAt: Date): Promise<void> {
  const expiresAt = new Date(grantExpiresAt.getTime() + UNUSED_DAYS * DAY_SEC * 1000)
  await ctx.oauthRecords.updateOne({ _id: recordId('Client', clientId) }, { $max: { expiresAt } })
}

/** Compares in constant time. */
export function isClientSecret(stored: string | undefined, secret: string): boolean {
  return stored !== undefined && timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(stored))
}

function withHashedSecret(payload: AdapterPayload): AdapterPayload {
  const { client_secret: secret } = payload
  return typeof secret === 'string' ? { ...payload, client_secret: hashSecret(secret) } : payload
}
