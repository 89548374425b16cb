import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { signedIn } from '../shell/session.ts'
import { mayFound } from '../welcome/may-found.ts'
import { claimSandbox, showSandbox } from './claim.ts'
import { discardAll, discardSandbox, showDiscardAll, showDiscardSandbox } from './discard.ts'
import { showOnboarding } from './sandboxes.ts'

export function onboardingRoutes(ctx: Context): Route[] {
  const gate = async () => (await ctx.readSwitches()).hasSandbox
  const routes: Route[] = [
    { path: '/onboarding', get: signedIn(ctx, mayFound(ctx, showOnboarding(ctx))) },
    {
      path: '/onboarding/:id',
      get: signedIn(ctx, mayFound(ctx, showSandbox(ctx))),
      post: signedIn(ctx, mayFound(ctx, claimSandbox(ctx))),
    },
    { path: '/onboarding/all/discard', get: signedIn(ctx, showDiscardAll()), post: signedIn(ctx, discardAll(ctx)) },
    {
      path: '/onboarding/:id/discard',
      get: signedIn(ctx, showDiscardSandbox(ctx)),
      post: signedIn(ctx, discardSandbox(ctx)),
    },
  ]
  return routes.map((route) => ({ ...route, gate }))
}
