import type {
  CancelProviderCodeRequest,
  CancelProviderCodeResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { usableCodes } from '../models/provider-code.ts'
import { requireMember } from '../require-member.ts'

export function cancelProviderCode(ctx: Context): Handler<CancelProviderCodeRequest, CancelProviderCodeResponse> {
  return async ({ codeId }, call) => {
    const { workspaceId } = await requireMember(ctx, call, { write: true })
    const { deletedCount } = await ctx.providerCodes.deleteOne({ _id: codeId, workspaceId, ...usableCodes() })
    if (deletedCount === 1) return {}
    throw new StatusError('NOT_FOUND', 'Your family has no unused code with this codeId.', {
      field: 'codeId',
    })
  }
}
