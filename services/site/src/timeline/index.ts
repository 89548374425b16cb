import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { inHousehold } from '../shell/workspace.ts'
import { showMeasurements } from './measurements.ts'
import { showTimeline } from './timeline.ts'

/** The addresses of the timeline, everyone's and each loved one's. */
export function timelineRoutes(ctx: Context): Route[] {
  return [
    { path: '/timeline', get: inHousehold(ctx, showTimeline(ctx)) },
    { path: '/timeline/measurements', get: inHousehold(ctx, showMeasurements(ctx)) },
    { path: '/timeline/:lovedOneId', get: inHousehold(ctx, showTimeline(ctx)) },
    { path: '/timeline/:lovedOneId/measurements', get: inHousehold(ctx, showMeasurements(ctx)) },
  ]
}
