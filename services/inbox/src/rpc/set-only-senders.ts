import type { SetOnlySendersRequest, SetOnlySendersResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { upsertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import { requireSender } from '../arriving/require-sender.ts'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'

const MAX_SENDERS = 200

/** Sets whether only mail of these senders reaches a loved one's inbox. Owner and coordinators only. */
export function setOnlySenders(ctx: Context): Handler<SetOnlySendersRequest, SetOnlySendersResponse> {
  return async ({ only }, call) => {
    const { lovedOneId = '', on = false, senders: written = [] } = only ?? {}
    const { workspaceId } = await ctx.requireMember(call, { lovedOneId, write: true })
    requirePerson(call)
    const senders = [...new Set(written.map((sender) => requireSender('senders', sender)))]
    if (senders.length > MAX_SENDERS)
      throw invalidArgument('senders', `senders must be at most ${MAX_SENDERS} addresses and domains.`)
    if (on && senders.length === 0) throw invalidArgument('senders', 'senders must name at least one.')
    const others = { $filter: { input: { $ifNull: ['$only', []] }, cond: { $ne: ['$$this.lovedOneId', lovedOneId] } } }
    const set = {
      blocked: { $ifNull: ['$blocked', []] },
      only: { $concatArrays: [others, [{ lovedOneId, on, senders: { $literal: senders } }]] },
    }
    await upsertOnce(() =>
      ctx.senderFilters.collection.updateOne({ _id: workspaceId as never }, [{ $set: set }], { upsert: true }),
    )
    crashPoint('only-senders-set')
    return {}
  }
}
