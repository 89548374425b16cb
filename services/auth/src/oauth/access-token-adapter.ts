import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Context } from '../context.ts'
import type { AccessToken, Grant } from '../models/grant.ts'
import { hashSecret } from '../secret.ts'

/** A client that keeps refreshing holds no more than so many tokens at once; the oldest go. */
const MOST_HELD = 20
/** Tokens that have ended stay known for an hour, so that their use is recorded as that of a credential that was once good. */
const REMEMBERED_MS = 60 * 60 * 1000

/**
 * Access tokens, kept in their grant. Every call reads and writes that row, so nothing is in it that a call does not need:
 * what else oidc-provider must know of a token follows from the grant.
 */
export function accessTokenAdapter(ctx: Context): Adapter {
  return {
    async upsert(id, payload, expiresIn = 0) {
      const held = {
        hash: hashSecret(id),
        audience: String(payload.aud ?? ''),
        scopes: (payload.scope ?? '').split(' '),
        expiresAt: new Date(Date.now() + expiresIn * 1000),
      } satisfies AccessToken
      const remembered = {
        $filter: {
          input: '$accessTokens',
          cond: { $gt: ['$$this.expiresAt', { $subtract: ['$$NOW', REMEMBERED_MS] }] },
        },
      }
      await ctx.grants.updateOne(
        { _id: payload.grantId ?? '' },
        [{ $set: { accessTokens: { $slice: [{ $concatArrays: [remembered, [{ $literal: held }]] }, -MOST_HELD] } } }],
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
      const held = grant?.accessTokens[0]
      return held && held.expiresAt > new Date() ? toPayload(id, grant, held) : undefined
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
