import type { CheckAddressRequest, CheckAddressResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { openInvitations } from '../invitations/find-invitation.ts'

/** Reads the same of every address, so that the time it takes reveals nothing. */
export function checkAddress(ctx: Context): Handler<CheckAddressRequest, CheckAddressResponse> {
  return async ({ email }, call) => {
    requireService(call, 'auth')
    const [member, invitation] = await Promise.all([
      ctx.members.exists({ email }),
      ctx.invitations.exists({ email, ...openInvitations() }),
    ])
    return { member: member !== null, invited: invitation !== null }
  }
}
