import { type Credential, CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import { noteNetwork } from '../assistants/alarms.ts'
import type { Context } from '../context.ts'
import type { Grant } from '../models/grant.ts'
import type { Session } from '../models/session.ts'
import type { ToolKey } from '../models/tool-key.ts'
import { IS_ACTIVE, NEXT_EXPIRY, verifiedAtOf } from '../sign-in/active-session.ts'
import { mcpResources } from './resource.ts'
import { type Admitted, type CredentialRule, spendCalls } from './spend-calls.ts'

/** Admits tool keys. Their scopes apply only while TOOL_KEY_SCOPES_ENFORCED is on. */
export function admitToolKeys(ctx: Context, credentials: Credential[]): Promise<Admitted> {
  const rule: CredentialRule<ToolKeyRow> = {
    collection: ctx.toolKeys.collection,
    hashField: 'hash',
    fields: () => ({ ...KEY_FIELDS, ...LATEST_NETWORK }),
    hashesOf: ({ hash }) => [hash],
    isValid: ({ revokedAt }) => isUnset(revokedAt),
    changes: ({ networks }, { clientAddress = '' }) => noteNetwork(ctx.config, networks, clientAddress),
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
  }
  return spendCalls(ctx, rule, credentials)
}

const OWNER_FIELDS = { personId: 1, workspaceId: 1, revokedAt: 1 } as const
const ASSISTANT_FIELDS = { ...OWNER_FIELDS, scopes: 1, access: 1, pausedAt: 1 } as const
const KEY_FIELDS = { ...ASSISTANT_FIELDS, hash: 1, name: 1 } as const
const LATEST_NETWORK = { networks: { $slice: ['$networks', -1] } }

type ToolKeyRow = Pick<ToolKey, '_id' | 'networks' | keyof typeof KEY_FIELDS>

/** Calls count against the grant, so refreshing a token gains none. The audience must be one of ours (RFC 8707). */
export function admitAccessTokens(ctx: Context, credentials: Credential[]): Promise<Admitted> {
  const audiences: string[] = mcpResources(ctx.config.urls)
  const tokenOf = ({ accessTokens }: GrantRow, hash: string) => accessTokens.find((token) => token.hash === hash)
  const rule: CredentialRule<GrantRow> = {
    collection: ctx.grants.collection,
    hashField: 'accessTokens.hash',
    fields: (hashes) => ({
      ...GRANT_FIELDS,
      ...LATEST_NETWORK,
      accessTokens: { $filter: { input: '$accessTokens', cond: { $in: ['$$this.hash', hashes] } } },
    }),
    hashesOf: ({ accessTokens }) => accessTokens.map(({ hash }) => hash),
    isValid(row, hash) {
      const token = tokenOf(row, hash)
      const isLive = token !== undefined && token.expiresAt > new Date() && audiences.includes(token.audience)
      return isLive && isUnset(row.revokedAt) && row.workspaceId !== ''
    },
    changes: ({ networks }, { clientAddress = '' }) => noteNetwork(ctx.config, networks, clientAddress),
    toCaller(row, hash) {
      const { _id, personId, workspaceId, scopes, clientName, access, pausedAt } = row
      return {
        personId,
        workspaceId,
        credentialId: _id,
        kind: CredentialKind.ACCESS_TOKEN,
        scopes: tokenOf(row, hash)?.scopes.filter((scope) => scopes.includes(scope)) ?? [],
        scopesEnforced: true,
        credentialName: clientName,
        paused: pausedAt !== undefined,
        access,
      }
    },
  }
  return spendCalls(ctx, rule, credentials)
}

const GRANT_FIELDS = { ...ASSISTANT_FIELDS, clientName: 1 } as const

type GrantRow = Pick<Grant, '_id' | 'accessTokens' | 'networks' | keyof typeof GRANT_FIELDS>

export function admitSessions(ctx: Context, credentials: Credential[]): Promise<Admitted> {
  const rule: CredentialRule<SessionRow> = {
    collection: ctx.sessions.collection,
    hashField: 'hash',
    fields: () => ({ ...SESSION_FIELDS, isActive: IS_ACTIVE }),
    hashesOf: ({ hash }) => [hash],
    isValid: ({ revokedAt, workspaceId, isActive }) => isUnset(revokedAt) && workspaceId !== '' && isActive,
    changes: () => ({ expiresAt: NEXT_EXPIRY }),
    toCaller: ({ _id, personId, workspaceId, email, ...times }) => ({
      personId,
      workspaceId,
      credentialId: _id,
      kind: CredentialKind.SESSION,
      scopes: [],
      scopesEnforced: false,
      email,
      verifiedAt: verifiedAtOf(times),
    }),
  }
  return spendCalls(ctx, rule, credentials)
}

const SESSION_FIELDS = { ...OWNER_FIELDS, hash: 1, email: 1, createdAt: 1, verifiedAt: 1 } as const

type SessionRow = Pick<Session, '_id' | keyof typeof SESSION_FIELDS> & { isActive: boolean }

function isUnset(value: Date | null | undefined): boolean {
  return value === undefined || value === null
}
