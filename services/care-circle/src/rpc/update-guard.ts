import {
  GuardChange,
  type UpdateGuardRequest,
  type UpdateGuardResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { endGuard, markProposing } from '../assistant-guard.ts'
import type { Context } from '../context.ts'

/** For inbox, which keeps the proposed replies. */
export function updateGuard(ctx: Context): Handler<UpdateGuardRequest, UpdateGuardResponse> {
  return async ({ change, ...guarded }, call) => {
    requireService(call, 'inbox')
    if (change === GuardChange.PROPOSED) await markProposing(ctx, guarded)
    else if (change === GuardChange.DECIDED) await endGuard(ctx, guarded)
    else throw invalidArgument('change', 'change must be proposed or decided.')
    return {}
  }
}
