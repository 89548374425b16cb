import { newId } from '@family-inbox/service-kit/ids'
import type { Context } from '../context.ts'
import type { Person } from '../models/person.ts'
import { SESSION_IDLE_MS, SESSION_LIFETIME_MS } from '../models/session.ts'
import { hashSecret, newSecret } from '../secret.ts'
import { chooseWorkspace } from './choose-workspace.ts'
import { describeUserAgent } from './describe-user-agent.ts'

/** Begins a session with a new secret, which is in the answer and nowhere else. */
export async function beginSession(
  ctx: Context,
  { _id: personId, email }: Person,
  userAgent: string,
): Promise<{ secret: string; endsAt: Date }> {
  const _id = newId('ses')
  const createdAt = new Date()
  const secret = newSecret()
  const endsAt = new Date(createdAt.getTime() + SESSION_LIFETIME_MS)
  const workspaceId = await chooseWorkspace(ctx, { _id, personId, email, workspaceId: '', createdAt })
  await ctx.sessions.insertOne({
    _id,
    hash: hashSecret(secret),
    personId,
    email,
    workspaceId,
    userAgent: describeUserAgent(userAgent),
    createdAt,
    lastUsedAt: createdAt,
    expiresAt: new Date(createdAt.getTime() + SESSION_IDLE_MS),
    endsAt,
    calls: [],
  })
  return { secret, endsAt }
}
