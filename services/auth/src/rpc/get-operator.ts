import type { GetOperatorRequest, GetOperatorResponse } from '@family-inbox/proto/auth/v1/auth'
import type { SwitchChange } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { findOperator } from '../sign-in/operator.ts'

export function getOperator(ctx: Context): Handler<GetOperatorRequest, GetOperatorResponse> {
  return async ({ session }, call) => {
    requireService(call, 'site')
    const operator = await findOperator(ctx, session)
    if (!operator?.isConfirmed) return { operator: operator !== undefined, confirmed: false, changes: [] }
    const { changes } = await ctx.careCircle.listSwitchChanges({}, { deadline: call.deadline })
    return { operator: true, confirmed: true, changes: await withNames(ctx, changes) }
  }
}

async function withNames({ people }: Context, changes: SwitchChange[]) {
  const rows = await people.find({ _id: { $in: changes.map(({ personId }) => personId) } }, { name: 1 }).lean()
  const nameOf = new Map(rows.map(({ _id, name }) => [_id, name]))
  return changes.map((change) => ({ change, name: nameOf.get(change.personId) ?? '' }))
}
