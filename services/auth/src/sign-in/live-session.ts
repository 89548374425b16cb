import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { SESSION_IDLE_MS, type Session } from '../models/session.ts'
import { hashSecret } from '../secret.ts'

/** The aggregation expression for whether a session has not run out. */
export const IS_LIVE = { $gt: ['$expiresAt', '$$NOW'] }

/** The expression for when a session that is used now runs out. */
export const NEXT_EXPIRY = { $min: ['$endsAt', { $add: ['$$NOW', SESSION_IDLE_MS] }] }

export type LiveSession = Pick<Session, '_id' | 'personId' | 'email' | 'workspaceId' | 'createdAt' | 'verifiedAt'>

/** The session a secret belongs to, if it is neither revoked nor run out; notes its use. */
export async function useSession(ctx: Context, secret: string): Promise<LiveSession | undefined> {
  if (secret === '') return undefined
  const session = await ctx.sessions.collection.findOneAndUpdate(
    { hash: hashSecret(secret), revokedAt: null, $expr: IS_LIVE },
    [{ $set: { lastUsedAt: '$$NOW', expiresAt: NEXT_EXPIRY } }],
    { projection: { personId: 1, email: 1, workspaceId: 1, createdAt: 1, verifiedAt: 1 }, writeConcern: { w: 1 } },
  )
  return (session as LiveSession | null) ?? undefined
}

/** @throws StatusError UNAUTHENTICATED when there is no such session, or no longer */
export async function requireSession(ctx: Context, secret: string): Promise<LiveSession> {
  const session = await useSession(ctx, secret)
  if (session === undefined) throw signInFirst()
  return session
}

export function signInFirst(): StatusError {
  return new StatusError('UNAUTHENTICATED', 'Sign in first.')
}

/** The token by which `holder` speaks for the person of a session, with the email they have proved and when. */
export function principalOf(ctx: Context, session: LiveSession, holder: string): Promise<string> {
  const { _id, personId, workspaceId, email, createdAt } = session
  const verifiedAt = Math.floor((session.verifiedAt ?? createdAt).getTime() / 1000)
  return ctx.identity.principalToken({ personId, workspaceId, credentialId: _id, email, verifiedAt }, holder)
}
