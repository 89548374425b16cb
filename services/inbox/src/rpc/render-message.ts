import type { RenderMessageRequest, RenderMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { messageNotFound } from '../models/message.ts'
import { readOriginal } from '../models/original.ts'
import { findOriginal, reserveMailMemory } from '../storage/find-original.ts'

const MAX_BYTES = 3.5 * 1024 * 1024

/** Sanitized from the original on every call, so the current rules apply. */
export function renderMessage(ctx: Context): Handler<RenderMessageRequest, RenderMessageResponse> {
  return async (request, call) => {
    const { workspaceId } = await ctx.requireMember(call, { lovedOneId: request.lovedOneId })
    const row = await findOriginal(ctx, workspaceId, request)
    using _memory = await reserveMailMemory(ctx, workspaceId, row.size, call.signal)
    const raw = await readOriginal(ctx, row)
    if (raw === null) throw messageNotFound()
    const markup = await ctx.mailOpener.markup(workspaceId, raw, call.signal).catch(() => {
      throw new StatusError(
        'FAILED_PRECONDITION',
        'This message is too large or too complex to show in its original layout.',
      )
    })
    if (markup === undefined) return { html: '', remoteContentRemoved: false }
    if (Buffer.byteLength(markup.html) > MAX_BYTES)
      throw new StatusError('FAILED_PRECONDITION', 'This message is too large to show in its original layout.')
    return markup
  }
}
