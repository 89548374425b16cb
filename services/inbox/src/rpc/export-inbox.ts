import type { ExportInboxRequest, ExportInboxResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { exportRows, inPieces, withIds } from '@family-inbox/service-kit/export-files'
import type { StreamHandler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { exportMessage } from '../export/export-message.ts'
import { readMessages } from '../export/read-messages.ts'
import { formatAddress, type InboxAddress } from '../models/inbox-address.ts'

/** The household's mail as files, one message after the other, so that a large inbox takes time and no memory. */
export function exportInbox(ctx: Context): StreamHandler<ExportInboxRequest, ExportInboxResponse> {
  return async function* (_request, call) {
    const { workspaceId } = await ctx.requireMember(call)
    const addresses = ctx.inboxAddresses.find({ workspaceId }).sort({ createdAt: 1 }).lean().cursor()
    const replies = ctx.replies
      .find({ workspaceId }, { idempotencyKey: 0, requestHash: 0, mailQueuedAt: 0 })
      .sort({ createdAt: 1 })
      .lean()
      .cursor()
    yield* inPieces(
      exportRows('mail/addresses.json', shownAddresses(ctx, addresses)),
      exportRows('mail/replies.json', withIds(replies)),
    )
    for await (const message of readMessages(ctx, workspaceId))
      yield* inPieces(exportMessage(ctx, message, call.signal))
  }
}

async function* shownAddresses(ctx: Context, rows: AsyncIterable<InboxAddress>): AsyncGenerator<object> {
  for await (const { lovedOneId, createdAt, removedAt, ...row } of rows)
    yield { address: formatAddress(row, ctx.config.mailDomain), lovedOneId, createdAt, removedAt }
}
