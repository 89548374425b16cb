import type { UpdateProfileRequest, UpdateProfileResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import type { Context } from '../context.ts'

/** Changes the name that forms suggest. Names in workspaces belong to care-circle. */
export function updateProfile(ctx: Context): Handler<UpdateProfileRequest, UpdateProfileResponse> {
  return async (request, call) => {
    const { personId } = requirePrincipal(call)
    const name = requireLine('name', request.name, 120)
    await ctx.people.updateOne({ _id: personId }, { name })
    return {}
  }
}
