import type {
  CheckEmergencySheetRequest,
  CheckEmergencySheetResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'

/** Of the text that the caller saw only. */
export function checkEmergencySheet(ctx: Context): Handler<CheckEmergencySheetRequest, CheckEmergencySheetResponse> {
  return async ({ lovedOneId, version }, call) => {
    const { workspaceId, name } = await requireMember(ctx, call, { lovedOneId, write: true })
    requirePerson(call)
    const { matchedCount } = await ctx.emergencySheets.updateOne(
      { _id: lovedOneId, workspaceId, version },
      { $set: { checkedByName: name, checkedAt: new Date() } },
    )
    if (matchedCount === 1) return {}
    throw new StatusError('FAILED_PRECONDITION', 'Somebody else has just changed this sheet. Look at it again.')
  }
}
