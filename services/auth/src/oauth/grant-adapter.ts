import type { Adapter } from 'oidc-provider'
import type { Context } from '../context.ts'
import { revokeGrants } from './revoke-grants.ts'

/** Grants: what oidc-provider knows of them goes into `payload`; the household is added when the person decides. */
export function grantAdapter(ctx: Context): Adapter {
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
