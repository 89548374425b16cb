import type { Adapter } from 'oidc-provider'
import type { Context } from '../context.ts'
import { hashSecret } from '../secret.ts'

/** A client that keeps refreshing holds no more than so many tokens at once; the oldest go. */
const MOST_HELD = 20
/** Tokens that have ended stay known for a day, so that their use is recorded as that of a credential that was once good. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000

/** Access tokens, kept in their grant. */
export function accessTokenAdapter(ctx: Context): Adapter {
  return {
    async upsert(id, { jti: _, ...payload }, expiresIn = 0) {
      const held = {
        hash: hashSecret(id),
        audience: String(payload.aud ?? ''),
        scopes: (payload.scope ?? '').split(' '),
        expiresAt: new Date(Date.now() + expiresIn * 1000),
        payload: JSON.stringify(payload),
      }
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
        .findOne({ 'accessTokens.hash': hash, revokedAt: null }, { accessTokens: { $elemMatch: { hash } } })
        .lean()
      const held = grant?.accessTokens[0]
      return held && held.expiresAt > new Date() ? { ...JSON.parse(held.payload), jti: id } : undefined
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
