import type { Context } from '../context.ts'
import { onboardingPage } from '../pages/onboarding.ts'
import { asPerson, type SignedInHandler, toViewer } from '../session.ts'

/** Leads a person who has proved their address to what assistants opened for it. */
export function showOnboarding(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const { sandboxes } = await ctx.sandbox.listClaimableSandboxes({}, asPerson(session, visit))
    const [only, ...others] = sandboxes
    if (only && others.length === 0) return { redirectTo: `/onboarding/${only.workspaceId}` }
    return { page: onboardingPage({ viewer: toViewer(session), clock: visit.clock, sandboxes }) }
  }
}
