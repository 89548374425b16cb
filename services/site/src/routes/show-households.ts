import { describeError } from '@family-inbox/service-kit/logger'
import type { Context } from '../context.ts'
import type { Reply } from '../http/reply.ts'
import type { Visit } from '../http/visit.ts'
import { householdsPage } from '../pages/households.ts'
import { roleWords } from '../parts/role.ts'
import { asPerson, asSite, type Session, type SignedInHandler, toViewer } from '../session.ts'

/** Lets a person choose their household: nothing to choose with one, and the way to a first one with none. */
export function showHouseholds(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const { workspaces } = await ctx.careCircle.listWorkspaces({}, asPerson(session, visit))
    const isStillMember = workspaces.some(({ id }) => id === session.workspaceId)
    if (session.workspaceId !== '' && !isStillMember) return tellNoLongerMember(ctx, visit)
    const [only, ...others] = workspaces
    if (only === undefined) return { redirectTo: await firstStep(ctx, visit, session) }
    if (others.length === 0) {
      await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId: only.id }, asSite(visit))
      return { redirectTo: '/' }
    }
    const households = workspaces.map(({ id, name, role }) => ({
      id,
      name,
      role: roleWords(role).name,
      current: id === session.workspaceId,
    }))
    return { page: householdsPage({ viewer: toViewer(session), households }) }
  }
}

/** Once: from then on nothing is chosen. Who has just left or deleted the family is being told so already. */
async function tellNoLongerMember(ctx: Context, visit: Visit): Promise<Reply> {
  await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId: '', none: true }, asSite(visit))
  return { redirectTo: '/households', ...(visit.cookies.notice === '' && { notice: 'no-longer-member' as const }) }
}

/** What an assistant opened for somebody comes before a household of their own; while that cannot be told, it can wait. */
async function firstStep(ctx: Context, visit: Visit, session: Session): Promise<string> {
  try {
    const { sandboxes } = await ctx.sandbox.listClaimableSandboxes({}, asPerson(session, visit))
    return sandboxes.length > 0 ? '/onboarding' : '/welcome'
  } catch (error) {
    ctx.logger.warn(describeError(error), 'whether a sandbox waits could not be told')
    return '/welcome'
  }
}
