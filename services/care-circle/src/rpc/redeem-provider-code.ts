import {
  type RedeemProviderCodeRequest,
  type RedeemProviderCodeResponse,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import type { Context } from '../context.ts'
import { memberId } from '../models/member.ts'
import { hashProviderCode, type ProviderCode, readProviderCode, usableCodes } from '../models/provider-code.ts'

/** The same redemption may be repeated. One error for every code that cannot be used. */
export function redeemProviderCode(ctx: Context): Handler<RedeemProviderCodeRequest, RedeemProviderCodeResponse> {
  return async (request, call) => {
    requireService(call, 'pipe')
    const redemptionId = requireLine('redemptionId', request.redemptionId, 500)
    const codeHash = hashProviderCode(ctx.config.invitationKey, readProviderCode(request.code))
    const code = await ctx.providerCodes.findOne({ codeHash }).lean()
    if (!code || !(await redeem(ctx, code, redemptionId))) throw codeNotFound()
    return { workspaceId: code.workspaceId, lovedOneId: code.lovedOneId }
  }
}

async function redeem(ctx: Context, code: ProviderCode, redemptionId: string): Promise<boolean> {
  const { _id, workspaceId, createdBy } = code
  if (code.redemptionId === redemptionId) return true
  const creator = await ctx.members.findById(memberId(workspaceId, createdBy), { role: 1 }).lean()
  if (!creator || creator.role === Role.VIEWER) return false
  const redeemed = await ctx.providerCodes.updateOne({ _id, ...usableCodes() }, { $set: { redemptionId } })
  if (redeemed.matchedCount === 1) return true
  return (await ctx.providerCodes.exists({ _id, redemptionId })) !== null
}

function codeNotFound(): StatusError {
  return new StatusError('NOT_FOUND', 'This code is not valid. Ask the family for a new one.', { field: 'code' })
}
