import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { inHousehold } from '../shell/workspace.ts'
import { sendTestMail, showGuide } from './guide.ts'

/** The addresses of the forwarding guide. */
export function forwardingRoutes(ctx: Context): Route[] {
  return [
    { path: '/forwarding/:lovedOneId', get: inHousehold(ctx, showGuide(ctx)) },
    { path: '/forwarding/:lovedOneId/test', post: inHousehold(ctx, sendTestMail(ctx)) },
  ]
}
