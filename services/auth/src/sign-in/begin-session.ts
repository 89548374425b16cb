import { newId } from '@family-inbox/service-kit/ids/ids'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Context } from '../context.ts'
import type { Person } from '../models/person.ts'
import { SESSION_IDLE_MS, SESSION_LIFETIME_MS } from '../models/session.ts'
import { hashSecret, newSecret } from '../secret.ts'
import { type ActiveSession, principalOf } from './active-session.ts'
import { describeUserAgent } from './describe-user-agent.ts'

/** The longest a sign-in waits for care-circle. */
const WORKSPACE_TIMEOUT_MS = 800

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

/** Returns the last used workspace, else the first; empty if there is none or care-circle does not answer. */
async function chooseWorkspace(ctx: Context, session: ActiveSession): Promise<string> {
  try {
    const [token, lastUsed] = await Promise.all([
      principalOf(ctx, session, ctx.identity.service),
      lastWorkspaceOf(ctx, session.personId),
    ])
    const { workspaces } = await ctx.careCircle.listWorkspaces(
      {},
      { token, deadline: Date.now() + WORKSPACE_TIMEOUT_MS },
    )
    return (workspaces.find(({ id }) => id === lastUsed) ?? workspaces[0])?.id ?? ''
  } catch (error) {
    ctx.logger.warn(describeError(error), 'signing in without a selected workspace')
    return ''
  }
}

async function lastWorkspaceOf(ctx: Context, personId: string): Promise<string | undefined> {
  const sessions = await ctx.sessions
    .find({ personId, workspaceId: { $ne: '' } }, { workspaceId: 1 })
    .sort({ lastUsedAt: -1 })
    .limit(1)
    .lean()
  return sessions[0]?.workspaceId
}
