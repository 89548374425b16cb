import type { GuardAssistantRequest, GuardAssistantResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { markReading } from '../assistant-guard.ts'
import type { Context } from '../context.ts'

/** inbox has checked the membership of the caller that it answers. */
export function guardAssistant(ctx: Context): Handler<GuardAssistantRequest, GuardAssistantResponse> {
  return async ({ principal }, call) => {
    const service = requireService(call, 'inbox')
    await markReading(ctx, await ctx.identity.verifyPrincipal(principal, service))
    return {}
  }
}
