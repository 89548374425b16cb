import { describeError } from '@family-inbox/service-kit/logger'
import type { Context } from '../context.ts'
import { type LiveSession, principalOf } from './live-session.ts'

/** A sign-in does not wait longer than this to know where it leads. */
const PATIENCE_MS = 800

/**
 * The household a new session begins in: the person's only one, or of several the one they used last. Empty when they have
 * none, or when it cannot be told now: the person then chooses.
 */
export async function chooseWorkspace(ctx: Context, session: LiveSession): Promise<string> {
  try {
    const [token, lastUsed] = await Promise.all([
      principalOf(ctx, session, ctx.identity.service),
      lastWorkspaceOf(ctx, session.personId),
    ])
    const { workspaces } = await ctx.careCircle.listWorkspaces({}, { token, deadline: Date.now() + PATIENCE_MS })
    return (workspaces.find(({ id }) => id === lastUsed) ?? workspaces[0])?.id ?? ''
  } catch (error) {
    ctx.logger.warn(describeError(error), 'a sign-in goes on without a household')
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
