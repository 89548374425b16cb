import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { recentlySignedIn } from '../shell/session.ts'
import { inWorkspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { cancelAppointment, setGoing, showAppointment } from './appointment.ts'
import { besideComing } from './coming-list.ts'
import { addAppointment, changeAppointment, showAddAppointment, showChangeAppointment } from './edit.ts'
import { readFeed } from './feed.ts'
import { createFeed, revokeFeed, showCreatedFeed, showFeeds } from './feeds.ts'
import { showAppointments } from './list.ts'
import { removeSender, showRemoveSender } from './remove-sender.ts'

export function appointmentRoutes(ctx: Context): Route[] {
  const one = '/appointments/:id'
  const withSidebar = (handler: WorkspaceHandler) => inWorkspace(ctx, besideComing(ctx, handler))
  return [
    { path: '/calendar/:file', get: readFeed(ctx) },
    { path: '/appointments', get: inWorkspace(ctx, showAppointments(ctx)) },
    {
      path: '/appointments/new',
      get: withSidebar(showAddAppointment(ctx)),
      post: withSidebar(addAppointment(ctx)),
    },
    {
      path: '/appointments/feeds',
      get: withSidebar(showFeeds(ctx)),
      post: recentlySignedIn(inWorkspace(ctx, createFeed(ctx)), ['for', 'details']),
    },
    { path: '/appointments/feeds/created', get: recentlySignedIn(withSidebar(showCreatedFeed(ctx))) },
    { path: '/appointments/feeds/:id/revoke', post: inWorkspace(ctx, revokeFeed(ctx)) },
    { path: one, get: withSidebar(showAppointment(ctx)) },
    { path: `${one}/going`, post: inWorkspace(ctx, setGoing(ctx)) },
    { path: `${one}/cancel`, post: inWorkspace(ctx, cancelAppointment(ctx)) },
    {
      path: `${one}/remove-sender`,
      get: withSidebar(showRemoveSender(ctx)),
      post: inWorkspace(ctx, removeSender(ctx)),
    },
    {
      path: `${one}/change`,
      get: withSidebar(showChangeAppointment(ctx)),
      post: withSidebar(changeAppointment(ctx)),
    },
  ]
}
