import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { recentlySignedIn } from '../shell/session.ts'
import { inWorkspace } from '../shell/workspace.ts'
import { changeSheet, showChangeSheet, unsavedSheet } from './change-sheet.ts'
import { createLink, revokeLink, showCreatedLink, showLinks } from './links.ts'
import { openLink, showCodeForm } from './open-link.ts'
import { checkSheet, recordSheetPrint, showSheet } from './sheet.ts'

export function emergencySheetRoutes(ctx: Context): Route[] {
  const unsaved = { signedOut: unsavedSheet, elsewhere: unsavedSheet }
  const one = '/emergency-sheets/:id'
  return [
    { path: '/emergency/:token', isSecret: true, get: showCodeForm(), post: openLink(ctx), postFrom: 'anywhere' },
    { path: one, get: inWorkspace(ctx, showSheet(ctx)) },
    {
      path: `${one}/change`,
      get: inWorkspace(ctx, showChangeSheet(ctx)),
      post: inWorkspace(ctx, changeSheet(ctx), unsaved),
      hasLongForm: true,
    },
    { path: `${one}/check`, post: inWorkspace(ctx, checkSheet(ctx), unsaved), hasLongForm: true },
    {
      path: `${one}/links`,
      get: inWorkspace(ctx, showLinks(ctx)),
      post: recentlySignedIn(inWorkspace(ctx, createLink(ctx)), ['hours']),
    },
    { path: `${one}/links/created`, get: recentlySignedIn(inWorkspace(ctx, showCreatedLink(ctx))) },
    { path: `${one}/printed`, post: inWorkspace(ctx, recordSheetPrint(ctx)) },
    { path: `${one}/revoke`, post: inWorkspace(ctx, revokeLink(ctx)) },
  ]
}
