import {
  CareEventPlace,
  type LocateCareEventsRequest,
  type LocateCareEventsResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

/** For the operator's test event. */
export function locateCareEvents(ctx: Context): Handler<LocateCareEventsRequest, LocateCareEventsResponse> {
  return async ({ eventIds }, call) => {
    requireService(call, 'ops')
    const named = { _id: { $in: eventIds } }
    const [stored, dead] = await Promise.all([
      ctx.careEvents.find(named, { _id: 1 }).lean(),
      ctx.deadLetters.find({ ...named, deadAt: { $exists: true } }, { _id: 1 }).lean(),
    ])
    const places = new Map<string, CareEventPlace>([
      ...dead.map(({ _id }) => [_id, CareEventPlace.DEAD] as const),
      ...stored.map(({ _id }) => [_id, CareEventPlace.TIMELINE] as const),
    ])
    return { places: eventIds.map((id) => places.get(id) ?? CareEventPlace.UNSPECIFIED) }
  }
}
