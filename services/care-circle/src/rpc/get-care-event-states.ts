import {
  CareEventState,
  type GetCareEventStatesRequest,
  type GetCareEventStatesResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

/** For the operator's test event, and for pipe to find events that the stream lost. */
export function getCareEventStates(ctx: Context): Handler<GetCareEventStatesRequest, GetCareEventStatesResponse> {
  return async ({ eventIds }, call) => {
    requireService(call, 'ops', 'pipe')
    const named = { _id: { $in: eventIds } }
    const [stored, dead] = await Promise.all([
      ctx.careEvents.find(named, { _id: 1 }).lean(),
      ctx.deadLetters.find({ ...named, deadAt: { $exists: true } }, { _id: 1 }).lean(),
    ])
    const states = new Map<string, CareEventState>([
      ...dead.map(({ _id }) => [_id, CareEventState.DEAD_LETTER] as const),
      ...stored.map(({ _id }) => [_id, CareEventState.ON_TIMELINE] as const),
    ])
    return { states: eventIds.map((id) => states.get(id) ?? CareEventState.UNSPECIFIED) }
  }
}
