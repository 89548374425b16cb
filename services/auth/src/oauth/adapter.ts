import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Context } from '../context.ts'
import type { AccessToken, Grant } from '../models/grant.ts'
import { hashSecret } from '../secret.ts'
import { clientAdapter, recordAdapter } from './record-adapter.ts'
import { revokeGrants } from './revoke-grants.ts'

const MAX_TOKENS = 20
/** Expired tokens are kept this long, so their use is recorded as that of a known credential. */
const KEPT_AFTER_EXPIRY_MS = 60 * 60 * 1000

/** Ids of tokens, codes and sessions are secrets: only hashes are stored. */
export function adapterFor(ctx: Context): (model: string) => Adapter {
  return (model) => {
    if (model === 'AccessToken') return accessTokenAdapter(ctx)
    if (model === 'Grant') return grantAdapter(ctx)
    if (model === 'Client') return clientAdapter(ctx)
    return recordAdapter(ctx, model)
  }
}

/** Stores oidc-provider's part of a grant in `payload`. The workspace is added when the person decides. */
function grantAdapter(ctx: Context): Adapter {
  return {
    async upsert(id, { jti: _, ...payload }, expiresIn = 0) {
      const now = new Date()
      await ctx.grants.updateOne(
        { _id: id },
        {
          $set: {
            payload: JSON.stringify(payload),
            personId: payload.accountId ?? '',
            clientId: payload.clientId ?? '',
            expiresAt: new Date(now.getTime() + expiresIn * 1000),
          },
          $setOnInsert: { createdAt: now, workspaceId: '', clientName: '', scopes: [], calls: [], accessTokens: [] },
        },
        { upsert: true },
      )
    },
    async find(id) {
      const grant = await ctx.grants.findOne({ _id: id, revokedAt: null }, { payload: 1 }).lean()
      return grant ? { ...JSON.parse(grant.payload), jti: id } : undefined
    },
    async destroy(id) {
      await revokeGrants(ctx, { _id: id })
    },
    async findByUid() {
      return undefined
    },
    async findByUserCode() {
      return undefined
    },
    async consume() {},
    async revokeByGrantId() {},
  }
}

/** Stores access tokens in their grant. Every call reads and writes that row, so it holds only what a call needs. */
function accessTokenAdapter(ctx: Context): Adapter {
  return {
    async upsert(id, payload, expiresIn = 0) {
      const token = {
        hash: hashSecret(id),
        audience: String(payload.aud ?? ''),
        scopes: (payload.scope ?? '').split(' '),
        expiresAt: new Date(Date.now() + expiresIn * 1000),
      } satisfies AccessToken
      const recent = {
        $filter: {
          input: '$accessTokens',
          cond: { $gt: ['$$this.expiresAt', { $subtract: ['$$NOW', KEPT_AFTER_EXPIRY_MS] }] },
        },
      }
      await ctx.grants.updateOne(
        { _id: payload.grantId ?? '' },
        [{ $set: { accessTokens: { $slice: [{ $concatArrays: [recent, [{ $literal: token }]] }, -MAX_TOKENS] } } }],
        { updatePipeline: true },
      )
    },
    async find(id) {
      const hash = hashSecret(id)
      const grant = await ctx.grants
        .findOne(
          { 'accessTokens.hash': hash, revokedAt: null },
          { personId: 1, clientId: 1, accessTokens: { $elemMatch: { hash } } },
        )
        .lean()
      const token = grant?.accessTokens[0]
      return token && token.expiresAt > new Date() ? toPayload(id, grant, token) : undefined
    },
    async destroy(id) {
      const hash = hashSecret(id)
      await ctx.grants.updateOne({ 'accessTokens.hash': hash }, { $set: { 'accessTokens.$.expiresAt': new Date() } })
    },
    async revokeByGrantId(grantId) {
      await ctx.grants.updateOne({ _id: grantId }, { $set: { 'accessTokens.$[].expiresAt': new Date() } })
    },
    async findByUid() {
      return undefined
    },
    async findByUserCode() {
      return undefined
    },
    async consume() {},
  }
}

function toPayload(
  jti: string,
  { _id, personId, clientId }: Pick<Grant, '_id' | 'personId' | 'clientId'>,
  { audience, scopes, expiresAt }: AccessToken,
): AdapterPayload {
  return {
    kind: 'AccessToken',
    jti,
    accountId: personId,
    clientId,
    grantId: _id,
    aud: audience,
    scope: scopes.join(' '),
    exp: Math.floor(expiresAt.getTime() / 1000),
  }
}
