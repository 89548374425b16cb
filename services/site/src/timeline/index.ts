import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { inWorkspace } from '../shell/workspace.ts'
import { showMeasurements } from './measurements.ts'
import { showTimeline } from './timeline.ts'

/** The addresses of the timeline, everyone's and each loved one's. */
export function timelineRoutes(ctx: Context): Route[] {
  return [
    { path: '/timeline', get: inWorkspace(ctx, showTimeline(ctx)) },
    { path: '/timeline/measurements', get: inWorkspace(ctx, showMeasurements(ctx)) },
    { path: '/timeline/:lovedOneId', get: inWorkspace(ctx, showTimeline(ctx)) },
    { path: '/timeline/:lovedOneId/measurements', get: inWorkspace(ctx, showMeasurements(ctx)) },
  ]
}
