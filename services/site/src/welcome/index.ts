import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { signedIn } from '../shell/session.ts'
import { chooseWorkspace, showWorkspaces } from './choose-workspace.ts'
import { mayFound } from './may-found.ts'
import { createWorkspace, showWelcome } from './welcome.ts'

/** Where somebody arrives who is in no family yet, or in several. */
export function welcomeRoutes(ctx: Context): Route[] {
  return [
    {
      path: '/welcome',
      get: signedIn(ctx, mayFound(ctx, showWelcome(ctx))),
      post: signedIn(ctx, mayFound(ctx, createWorkspace(ctx))),
    },
    { path: '/families', get: signedIn(ctx, showWorkspaces(ctx)), post: signedIn(ctx, chooseWorkspace(ctx)) },
  ]
}
