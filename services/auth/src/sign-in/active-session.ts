import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { SESSION_IDLE_MS, type Session } from '../models/session.ts'
import { hashSecret } from '../secret.ts'

export const IS_ACTIVE = { $gt: ['$expiresAt', '$$NOW'] }

export const NEXT_EXPIRY = { $min: ['$endsAt', { $add: ['$$NOW', SESSION_IDLE_MS] }] }

export type ActiveSession = Pick<
  Session,
  '_id' | 'personId' | 'email' | 'workspaceId' | 'createdAt' | 'verifiedAt' | 'passkeyAt'
>

async function touchSession(ctx: Context, secret: string): Promise<ActiveSession | undefined> {
  if (secret === '') return undefined
  const session = await ctx.sessions.collection.findOneAndUpdate(
    { hash: hashSecret(secret), revokedAt: null, $expr: IS_ACTIVE },
    [{ $set: { lastUsedAt: '$$NOW', expiresAt: NEXT_EXPIRY } }],
    {
      projection: { personId: 1, email: 1, workspaceId: 1, createdAt: 1, verifiedAt: 1, passkeyAt: 1 },
      writeConcern: { w: 1 },
    },
  )
  return (session as ActiveSession | null) ?? undefined
}

export async function requireSession(ctx: Context, secret: string): Promise<ActiveSession> {
  const session = await touchSession(ctx, secret)
  if (session === undefined) throw signInFirst()
  return session
}

export function signInFirst(): StatusError {
  return new StatusError('UNAUTHENTICATED', 'Sign in first.')
}

/** When the person last proved who they are, in seconds since 1970. */
export function verifiedAtOf({ verifiedAt, createdAt }: Pick<Session, 'verifiedAt' | 'createdAt'>): number {
  return Math.floor((verifiedAt ?? createdAt).getTime() / 1000)
}

/** Signs the token by which service `holder` acts for the session's person. */
export function principalOf(ctx: Context, session: ActiveSession, holder: string): Promise<string> {
  const { _id, personId, workspaceId, email } = session
  const verifiedAt = verifiedAtOf(session)
  return ctx.identity.principalToken({ personId, workspaceId, credentialId: _id, email, verifiedAt }, holder)
}
