import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { inWorkspace } from '../shell/workspace.ts'
import { cancelAppointment, setGoing, showAppointment } from './appointment.ts'
import { addAppointment, changeAppointment, showAddAppointment, showChangeAppointment } from './edit.ts'
import { readFeed } from './feed.ts'
import { createFeed, revokeFeed, showCreatedFeed, showFeeds } from './feeds.ts'
import { showAppointments } from './list.ts'

export function appointmentRoutes(ctx: Context): Route[] {
  const one = '/appointments/:id'
  return [
    { path: '/calendar/:file', get: readFeed(ctx) },
    { path: '/appointments', get: inWorkspace(ctx, showAppointments(ctx)) },
    {
      path: '/appointments/new',
      get: inWorkspace(ctx, showAddAppointment(ctx)),
      post: inWorkspace(ctx, addAppointment(ctx)),
    },
    { path: '/appointments/feeds', get: inWorkspace(ctx, showFeeds(ctx)), post: inWorkspace(ctx, createFeed(ctx)) },
    { path: '/appointments/feeds/created', get: inWorkspace(ctx, showCreatedFeed(ctx)) },
    { path: '/appointments/feeds/:id/revoke', post: inWorkspace(ctx, revokeFeed(ctx)) },
    { path: one, get: inWorkspace(ctx, showAppointment(ctx)) },
    { path: `${one}/going`, post: inWorkspace(ctx, setGoing(ctx)) },
    { path: `${one}/cancel`, post: inWorkspace(ctx, cancelAppointment(ctx)) },
    {
      path: `${one}/change`,
      get: inWorkspace(ctx, showChangeAppointment(ctx)),
      post: inWorkspace(ctx, changeAppointment(ctx)),
    },
  ]
}
