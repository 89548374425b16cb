import type { PreviewAttachmentRequest, PreviewAttachmentResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'

/** Waits as long as the caller does: a preview may take longer than other calls. */
export async function readPreview(
  ctx: Pick<Context, 'inbox'>,
  request: PreviewAttachmentRequest,
  options: { token: string; signal: AbortSignal },
): Promise<PreviewAttachmentResponse> {
  for await (const response of ctx.inbox.previewAttachment(request, options)) return response
  throw new StatusError('UNAVAILABLE', 'There is no answer.')
}
