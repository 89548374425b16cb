import type { ListSwitchChangesRequest, ListSwitchChangesResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

const SHOWN = 20

export function listSwitchChanges(ctx: Context): Handler<ListSwitchChangesRequest, ListSwitchChangesResponse> {
  return async (_request, call) => {
    requireService(call, 'auth')
    const rows = await ctx.switchChanges.find().sort({ changedAt: -1, _id: -1 }).limit(SHOWN).lean()
    return { changes: rows.map(({ name, value, ...change }) => ({ ...change, switch: { name, value } })) }
  }
}
