import type { Context } from '../context.ts'
import { asSite, type SignedInHandler } from '../session.ts'

/** Keeps the session in the household the person chose; auth checks that they are a member. */
export function chooseHousehold(ctx: Context): SignedInHandler {
  return async (visit) => {
    const workspaceId = visit.field('workspace').slice(0, 128)
    await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId }, asSite(visit))
    return { redirectTo: '/' }
  }
}
