import { type AuthenticateResult, CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import type { Grant } from '../models/grant.ts'
import { mcpResources } from '../oauth/resource.ts'
import { hashSecret } from '../secret.ts'
import { spendCall } from './spend-call.ts'

/**
 * Admits an access token: issued for one of our two MCP addresses (RFC 9728, RFC 8707), not expired, its grant not revoked.
 * The calls are the grant's, so that refreshing a token gains none.
 */
export function admitAccessToken(ctx: Context, token: string): Promise<AuthenticateResult> {
  const hash = hashSecret(token)
  const audience = { $in: mcpResources(ctx.config.urls) }
  const isThisOneAndLive = { hash, audience, expiresAt: { $gt: new Date() } }
  return spendCall<Pick<Grant, '_id' | 'personId' | 'workspaceId' | 'scopes' | 'accessTokens'>>(ctx, {
    collection: ctx.grants.collection,
    match: { 'accessTokens.hash': hash },
    good: { accessTokens: { $elemMatch: isThisOneAndLive }, workspaceId: { $ne: '' } },
    fields: { personId: 1, workspaceId: 1, scopes: 1, accessTokens: { $elemMatch: { hash } } },
    toCaller: ({ _id, personId, workspaceId, scopes, accessTokens }) => ({
      personId,
      workspaceId,
      credentialId: _id,
      kind: CredentialKind.ACCESS_TOKEN,
      scopes: accessTokens[0]?.scopes.filter((scope) => scopes.includes(scope)) ?? [],
      scopesEnforced: true,
    }),
  })
}
