import type { Adapter } from 'oidc-provider'
import type { Context } from '../context.ts'
import { accessTokenAdapter } from './access-token-adapter.ts'
import { clientAdapter } from './client-adapter.ts'
import { recordAdapter } from './record-adapter.ts'
import { revokeGrants } from './revoke-grants.ts'

/**
 * Selects the storage for each oidc-provider model. Ids of tokens, codes and sessions are secrets: only hashes are
 * stored.
 */
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
