import type { UpdateProfileRequest, UpdateProfileResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { requireLine } from '@family-inbox/service-kit/text/text-rules'
import type { Context } from '../context.ts'

/** Changes the caller's own name, as forms suggest it from now on; the names in their households are care-circle's. */
export function updateProfile(ctx: Context): Handler<UpdateProfileRequest, UpdateProfileResponse> {
  return async (request, call) => {
    const { personId } = requirePrincipal(call)
    const name = requireLine('name', request.name, 120)
    await ctx.people.updateOne({ _id: personId }, { name })
    return {}
  }
}
