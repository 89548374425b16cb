import type { GetInvitedAddressRequest, GetInvitedAddressResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { findOpenInvitation } from '../invitations/find-invitation.ts'

export function getInvitedAddress(ctx: Context): Handler<GetInvitedAddressRequest, GetInvitedAddressResponse> {
  return async ({ token }, call) => {
    requireService(call, 'site')
    const { email } = await findOpenInvitation(ctx, token)
    return { email }
  }
}
