import type { SetOperatorRequest, SetOperatorResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireEmail } from '@family-inbox/service-kit/rpc/text-rules'
import type { Context } from '../context.ts'

export function setOperator(ctx: Context): Handler<SetOperatorRequest, SetOperatorResponse> {
  return async (request, call) => {
    requireService(call, 'ops')
    const email = requireEmail('email', request.email)
    const change = request.operator ? { $min: { operatorSince: new Date() } } : { $unset: { operatorSince: 1 } }
    const { matchedCount } = await ctx.people.updateOne({ email }, change)
    if (matchedCount === 0) throw new StatusError('NOT_FOUND', `Nobody here has the address ${email}.`)
    return {}
  }
}
