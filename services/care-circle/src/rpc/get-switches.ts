import type { GetSwitchesRequest, GetSwitchesResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { findSwitches } from '../models/switch.ts'

export function getSwitches(ctx: Context): Handler<GetSwitchesRequest, GetSwitchesResponse> {
  return async (_request, call) => {
    requireService(call, 'auth', 'gateway', 'ops', 'sandbox', 'site')
    return { switches: ctx.config.hasOperatorPage ? await findSwitches(ctx.switches) : [] }
  }
}
