import type { BlockSenderRequest, BlockSenderResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { upsertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import { requireSender } from '../arriving/require-sender.ts'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'

const MAX_BLOCKED = 500

/** Blocks an address or a domain, or ends that. Owner and coordinators only. */
export function blockSender(ctx: Context): Handler<BlockSenderRequest, BlockSenderResponse> {
  return async ({ sender: written, allowed }, call) => {
    const member = await ctx.requireMember(call, { write: true })
    const { workspaceId, name } = member
    requirePerson(call)
    const sender = requireSender('sender', written)
    if (allowed) {
      await ctx.senderFilters.updateOne({ _id: workspaceId }, { $pull: { blocked: { sender } } })
      return {}
    }
    if ((await ctx.findRole(workspaceId, sender)) !== undefined)
      throw new StatusError(
        'FAILED_PRECONDITION',
        'This is the address of a member of your family. Their mail always arrives.',
      )
    const { senderFilters } = ctx
    await upsertOnce(() =>
      senderFilters.updateOne({ _id: workspaceId }, { $setOnInsert: { blocked: [], only: [] } }, { upsert: true }),
    )
    const hasSpace = { _id: workspaceId, [`blocked.${MAX_BLOCKED - 1}`]: { $exists: false } }
    const entry = { sender, byName: name, at: new Date() }
    const added = await senderFilters.updateOne(
      { ...hasSpace, 'blocked.sender': { $ne: sender } },
      { $push: { blocked: { $each: [entry], $position: 0 } } },
    )
    crashPoint('sender-blocked')
    if (added.matchedCount === 0 && !(await senderFilters.exists({ _id: workspaceId, 'blocked.sender': sender })))
      throw new StatusError('RESOURCE_EXHAUSTED', `Your family can block up to ${MAX_BLOCKED} senders.`)
    if (added.modifiedCount > 0) await ctx.recordAct(member, { act: 'block_sender' })
    return {}
  }
}
