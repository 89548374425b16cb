import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { inWorkspace } from '../shell/workspace.ts'
import { showReadings } from './readings.ts'
import { showTimeline } from './timeline.ts'

/** Routes of the timeline: everyone's and each loved one's. */
export function timelineRoutes(ctx: Context): Route[] {
  return [
    { path: '/timeline', get: inWorkspace(ctx, showTimeline(ctx)) },
    { path: '/timeline/readings', get: inWorkspace(ctx, showReadings(ctx)) },
    { path: '/timeline/:lovedOneId', get: inWorkspace(ctx, showTimeline(ctx)) },
    { path: '/timeline/:lovedOneId/readings', get: inWorkspace(ctx, showReadings(ctx)) },
  ]
}
