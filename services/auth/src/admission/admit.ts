import { type AuthenticateResult, CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import { noteNetwork } from '../assistants/alarms.ts'
import type { Context } from '../context.ts'
import type { Grant } from '../models/grant.ts'
import type { Session } from '../models/session.ts'
import { hashToolKey, type ToolKey } from '../models/tool-key.ts'
import { mcpResources } from '../oauth/resource.ts'
import { hashSecret } from '../secret.ts'
import { IS_ACTIVE, NEXT_EXPIRY } from '../sign-in/active-session.ts'
import { spendCall } from './spend-call.ts'

/** Admits a tool key. Its scopes apply only while TOOL_KEY_SCOPES_ENFORCED is on. */
export function admitToolKey(ctx: Context, key: string, clientAddress: string): Promise<AuthenticateResult> {
  return spendCall<Pick<ToolKey, '_id' | 'networks' | keyof typeof KEY_FIELDS>>(ctx, {
    collection: ctx.toolKeys.collection,
    match: { hash: hashToolKey(key) },
    valid: {},
    fields: { ...KEY_FIELDS, ...LATEST_NETWORK },
    note: ({ networks }) => noteNetwork(ctx.config, networks, clientAddress),
    toCaller: ({ _id, personId, workspaceId, scopes, name, access, pausedAt }) => ({
      personId,
      workspaceId,
      credentialId: _id,
      kind: CredentialKind.TOOL_KEY,
      scopes,
      scopesEnforced: ctx.config.toolKeyScopesEnforced && scopes.length > 0,
      credentialName: name,
      paused: pausedAt !== undefined,
      access,
    }),
  })
}

const KEY_FIELDS = { personId: 1, workspaceId: 1, scopes: 1, name: 1, access: 1, pausedAt: 1 } as const
const LATEST_NETWORK = { networks: { $slice: -1 } }

/** Calls count against the grant, so refreshing a token gains none. The audience must be one of ours (RFC 8707). */
export function admitAccessToken(ctx: Context, token: string, clientAddress: string): Promise<AuthenticateResult> {
  const hash = hashSecret(token)
  const audience = { $in: mcpResources(ctx.config.urls) }
  const isLiveToken = { hash, audience, expiresAt: { $gt: new Date() } }
  return spendCall<GrantRow>(ctx, {
    collection: ctx.grants.collection,
    match: { 'accessTokens.hash': hash },
    valid: { accessTokens: { $elemMatch: isLiveToken }, workspaceId: { $ne: '' } },
    fields: { ...GRANT_FIELDS, ...LATEST_NETWORK, accessTokens: { $elemMatch: { hash } } },
    note: ({ networks }) => noteNetwork(ctx.config, networks, clientAddress),
    toCaller: ({ _id, personId, workspaceId, scopes, clientName, access, pausedAt, accessTokens }) => ({
      personId,
      workspaceId,
      credentialId: _id,
      kind: CredentialKind.ACCESS_TOKEN,
      scopes: accessTokens[0]?.scopes.filter((scope) => scopes.includes(scope)) ?? [],
      scopesEnforced: true,
      credentialName: clientName,
      paused: pausedAt !== undefined,
      access,
    }),
  })
}

const GRANT_FIELDS = { personId: 1, workspaceId: 1, scopes: 1, clientName: 1, access: 1, pausedAt: 1 } as const

type GrantRow = Pick<Grant, '_id' | 'accessTokens' | 'networks' | keyof typeof GRANT_FIELDS>

export function admitSession(ctx: Context, secret: string): Promise<AuthenticateResult> {
  return spendCall<Pick<Session, '_id' | 'personId' | 'workspaceId' | 'email'>>(ctx, {
    collection: ctx.sessions.collection,
    match: { hash: hashSecret(secret) },
    valid: { workspaceId: { $ne: '' }, $expr: IS_ACTIVE },
    touch: { expiresAt: NEXT_EXPIRY },
    fields: { personId: 1, workspaceId: 1, email: 1 },
    toCaller: ({ _id, personId, workspaceId, email }) => ({
      personId,
      workspaceId,
      credentialId: _id,
      kind: CredentialKind.SESSION,
      scopes: [],
      scopesEnforced: false,
      email,
    }),
  })
}
