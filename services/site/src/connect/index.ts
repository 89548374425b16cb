import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { inWorkspace } from '../shell/workspace.ts'
import { showConnect } from './connect.ts'

export function connectRoutes(ctx: Context): Route[] {
  return [{ path: '/connect', get: inWorkspace(ctx, showConnect(ctx)) }]
}
