import { type AuthenticateResult, CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { hashToolKey, type ToolKey } from '../models/tool-key.ts'
import { spendCall } from './spend-call.ts'

/** Admits a tool key. One that was minted with scopes is held to them once the operator has switched that on. */
export function admitToolKey(ctx: Context, key: string): Promise<AuthenticateResult> {
  return spendCall<Pick<ToolKey, '_id' | 'personId' | 'workspaceId' | 'scopes'>>(ctx, {
    collection: ctx.toolKeys.collection,
    match: { hash: hashToolKey(key) },
    good: {},
    fields: { personId: 1, workspaceId: 1, scopes: 1 },
    toCaller: ({ _id, personId, workspaceId, scopes }) => ({
      personId,
      workspaceId,
      credentialId: _id,
      kind: CredentialKind.TOOL_KEY,
      scopes,
      scopesEnforced: ctx.config.toolKeyScopesEnforced && scopes.length > 0,
    }),
  })
}
