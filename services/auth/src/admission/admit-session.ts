import { type AuthenticateResult, CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import type { Session } from '../models/session.ts'
import { hashSecret } from '../secret.ts'
import { IS_LIVE, NEXT_EXPIRY } from '../sign-in/live-session.ts'
import { spendCall } from './spend-call.ts'

/** Admits a browser's session, for assistants inside the application. It must have chosen a household. */
export function admitSession(ctx: Context, secret: string): Promise<AuthenticateResult> {
  return spendCall<Pick<Session, '_id' | 'personId' | 'workspaceId' | 'email'>>(ctx, {
    collection: ctx.sessions.collection,
    match: { hash: hashSecret(secret) },
    good: { workspaceId: { $ne: '' }, $expr: IS_LIVE },
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
