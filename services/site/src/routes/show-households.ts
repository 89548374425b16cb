import type { Context } from '../context.ts'
import { householdsPage } from '../pages/households.ts'
import { roleWords } from '../parts/role.ts'
import { asPerson, asSite, type SignedInHandler, toViewer } from '../session.ts'

/** Lets a person choose their household: nothing to choose with one, and the way to a first one with none. */
export function showHouseholds(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const { workspaces } = await ctx.careCircle.listWorkspaces({}, asPerson(session, visit))
    const [only, ...others] = workspaces
    if (only === undefined) return { redirectTo: '/welcome' }
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
