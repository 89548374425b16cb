import type { ChangeSwitchRequest, ChangeSwitchResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { readSwitch } from '@family-inbox/workspace-kit/switches'
import type { Context } from '../context.ts'

/** Stores and records it, or neither. */
export function changeSwitch(ctx: Context): Handler<ChangeSwitchRequest, ChangeSwitchResponse> {
  return async (request, call) => {
    requireService(call, 'auth')
    if (!ctx.config.hasOperatorPage) throw new StatusError('NOT_FOUND', 'This installation has no operator’s page.')
    const wanted = readSwitch(request.switch?.name ?? '', request.switch?.value ?? '')
    if (wanted === undefined) throw invalidArgument('switch', 'Choose one of the values on the page.')
    const { name, value } = wanted
    const changedAt = new Date()
    await ctx.connection.transaction(async (session) => {
      const stored = await ctx.switches
        .findOneAndUpdate({ _id: name }, { value, changedAt }, { session, upsert: true, returnDocument: 'before' })
        .lean()
      const before = stored?.value ?? request.before
      if (before === value) return
      await ctx.switchChanges.create(
        [{ _id: newId('swc'), name, value, before, personId: request.personId, changedAt }],
        { session },
      )
    })
    return {}
  }
}
