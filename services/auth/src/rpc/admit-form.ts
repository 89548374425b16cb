import type { AdmitFormRequest, AdmitFormResponse } from '@family-inbox/proto/auth/v1/auth'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { enforceRateLimit, FORMS_FROM_NETWORK } from '../admission/rate-limit.ts'
import type { Context } from '../context.ts'

export function admitForm(ctx: Context): Handler<AdmitFormRequest, AdmitFormResponse> {
  return async ({ clientAddress }, call) => {
    requireService(call, 'site')
    await enforceRateLimit(ctx, FORMS_FROM_NETWORK, clientNetwork(clientAddress))
    return {}
  }
}
