import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { inWorkspace } from '../shell/workspace.ts'
import { sendTestMail, showGuide } from './guide.ts'

export function forwardingRoutes(ctx: Context): Route[] {
  return [
    { path: '/forwarding/:lovedOneId', get: inWorkspace(ctx, showGuide(ctx)) },
    { path: '/forwarding/:lovedOneId/test', post: inWorkspace(ctx, sendTestMail(ctx)) },
  ]
}
