import type { ExportInboxRequest, ExportInboxResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { StreamHandler } from '@family-inbox/service-kit/rpc/call'
import { exportRows, toPieces, withIds } from '@family-inbox/service-kit/rpc/export-files'
import type { Context } from '../context.ts'
import { exportMessage, readMessages } from '../export/export-message.ts'
import { formatAddress, type InboxAddress } from '../models/inbox-address.ts'

/** Streams the workspace's mail and the caller's own drafts as files, message by message to bound memory. */
export function exportInbox(ctx: Context): StreamHandler<ExportInboxRequest, ExportInboxResponse> {
  return async function* (_request, call) {
    const { workspaceId, personId } = await ctx.requireMember(call)
    const addresses = ctx.inboxAddresses.find({ workspaceId }).sort({ createdAt: 1 }).lean().cursor()
    const replies = ctx.replies
      .find({ workspaceId }, { idempotencyKey: 0, requestHash: 0, mailQueuedAt: 0 })
      .sort({ createdAt: 1 })
      .lean()
      .cursor()
    const drafts = ctx.drafts.find({ workspaceId, personId }).sort({ changedAt: 1 }).lean().cursor()
    yield* toPieces(
      exportRows('mail/addresses.json', shownAddresses(ctx, addresses)),
      exportRows('mail/replies.json', withIds(replies)),
      exportRows('mail/drafts.json', withIds(drafts)),
    )
    for await (const message of readMessages(ctx, workspaceId))
      yield* toPieces(exportMessage(ctx, message, call.signal))
  }
}

async function* shownAddresses(ctx: Context, rows: AsyncIterable<InboxAddress>): AsyncGenerator<object> {
  for await (const { lovedOneId, createdAt, removedAt, ...row } of rows)
    yield { address: formatAddress(row, ctx.config.mailDomain), lovedOneId, createdAt, removedAt }
}
