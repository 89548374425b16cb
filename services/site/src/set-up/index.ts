import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { finishSetUp, showSetUp } from './set-up.ts'

export function setUpRoutes(ctx: Context): Route[] {
  return [{ path: '/set-up', get: showSetUp(ctx), post: finishSetUp(ctx) }]
}
