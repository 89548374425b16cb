import type { Context } from '../../context.ts'
import { inHousehold } from '../../household.ts'
import type { Route } from '../../http/mount-routes.ts'
import { showMeasurements } from './show-measurements.ts'
import { showTimeline } from './show-timeline.ts'

/** The addresses of the timeline, everyone's and each loved one's. */
export function timelineRoutes(ctx: Context): Route[] {
  return [
    { path: '/timeline', get: inHousehold(ctx, showTimeline(ctx)) },
    { path: '/timeline/measurements', get: inHousehold(ctx, showMeasurements(ctx)) },
    { path: '/timeline/:lovedOneId', get: inHousehold(ctx, showTimeline(ctx)) },
    { path: '/timeline/:lovedOneId/measurements', get: inHousehold(ctx, showMeasurements(ctx)) },
  ]
}
