import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { AllowRecipientRequest, AllowRecipientResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireEmail } from '@family-inbox/service-kit/rpc/text-rules'
import type { Context } from '../context.ts'
import { hashRecipient, stoppedRecipientId } from '../models/stopped-recipient.ts'

/** Ends a stop after a bounce or complaint early. Owner only. */
export function allowRecipient(ctx: Context): Handler<AllowRecipientRequest, AllowRecipientResponse> {
  return async (request, call) => {
    const { workspaceId, role } = await ctx.requireMember(call, { write: true })
    if (role !== Role.OWNER) throw new StatusError('PERMISSION_DENIED', 'Only the owner can change this. Ask them.')
    const address = requireEmail('address', request.address)
    await ctx.stoppedRecipients.deleteOne({ _id: stoppedRecipientId(workspaceId, hashRecipient(address)) })
    return {}
  }
}
