import type { SwitchInstallationRequest, SwitchInstallationResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { requireOperator } from '../sign-in/operator.ts'

export function switchInstallation(ctx: Context): Handler<SwitchInstallationRequest, SwitchInstallationResponse> {
  return async (request, call) => {
    requireService(call, 'site')
    const { personId } = await requireOperator(ctx, request.session)
    const { switch: wanted, before } = request
    await ctx.careCircle.changeSwitch({ switch: wanted, before, personId }, { deadline: call.deadline })
    ctx.logger.warn({ personId, switch: wanted?.name, value: wanted?.value }, 'the operator switched something')
    return {}
  }
}
