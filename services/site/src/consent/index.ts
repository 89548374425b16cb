import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { recentlySignedIn, signedIn } from '../shell/session.ts'
import { showConsent } from './consent.ts'

export function consentRoutes(ctx: Context): Route[] {
  return [{ path: '/consent/:uid', get: recentlySignedIn(signedIn(ctx, showConsent(ctx)), ['access', 'workspace']) }]
}
