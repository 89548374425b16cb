import type { ListSecretsRequest, ListSecretsResponse } from '@family-inbox/proto/pipe/v1/pipe'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { isLive } from '../models/partner.ts'
import { requirePartner } from '../partners.ts'

/** By id and dates only. */
export function listSecrets(ctx: Context): Handler<ListSecretsRequest, ListSecretsResponse> {
  return async ({ institutionId }, call) => {
    requireService(call, 'ops')
    const { secrets } = await requirePartner(ctx, institutionId)
    const now = new Date()
    return {
      secrets: secrets.toReversed().map((secret) => {
        const { id, createdAt, expiresAt, revokedAt } = secret
        return { id, createdAt, expiresAt, revokedAt, live: isLive(secret, now) }
      }),
    }
  }
}
