import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { inWorkspace } from '../shell/workspace.ts'
import { showMedication } from './medication.ts'
import { showReadings } from './readings.ts'
import { takeUrgent } from './take-urgent.ts'
import { showTimeline } from './timeline.ts'

export function timelineRoutes(ctx: Context): Route[] {
  const [days, readings, medication] = [showTimeline(ctx), showReadings(ctx), showMedication(ctx)]
  return [
    { path: '/timeline', get: inWorkspace(ctx, days) },
    { path: '/timeline/readings', get: inWorkspace(ctx, readings) },
    { path: '/timeline/medication', get: inWorkspace(ctx, medication) },
    { path: '/timeline/:lovedOneId/urgent', post: inWorkspace(ctx, takeUrgent(ctx)) },
    { path: '/timeline/:lovedOneId', get: inWorkspace(ctx, days) },
    { path: '/timeline/:lovedOneId/readings', get: inWorkspace(ctx, readings) },
    { path: '/timeline/:lovedOneId/medication', get: inWorkspace(ctx, medication) },
  ]
}
