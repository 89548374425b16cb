import type { GetInboxMessageRequest, GetInboxMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { cut } from '@family-inbox/service-kit/cut'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/status-error'
import { BODY_CHARACTERS } from '@family-inbox/tool-catalogue/limits'
import type { Context } from '../context.ts'
import type { AttachmentMeta } from '../mail/parsed-message.ts'
import { type Message, messageRowId } from '../models/message.ts'
import { SUMMARY_FIELDS, type SummaryRow, toSummary } from '../wire-message.ts'

/** Shown until the checks have run. */
const PENDING = { spf: 'pending', dkim: 'pending', dmarc: 'pending', arc: 'pending' }

type Row = SummaryRow & Pick<Message, 'text' | 'truncated' | 'attachments' | 'authenticity'>

/** One message as plain text with what is known of its attachments; never their bytes, never HTML (SPEC "Inbox message"). */
export function getInboxMessage(ctx: Context): Handler<GetInboxMessageRequest, GetInboxMessageResponse> {
  return async (request, call) => {
    const { lovedOneId } = request
    const { workspaceId } = requirePrincipal(call)
    const [, row] = await Promise.all([ctx.requireMember(call, { lovedOneId }), findMessage(ctx, workspaceId, request)])
    if (row === null) throw messageNotFound()
    const body = cut(row.text, BODY_CHARACTERS)
    return {
      message: toSummary(row),
      body,
      bodyTruncated: row.truncated || body.length < row.text.length,
      attachments: row.attachments.map(toWireAttachment),
      authenticity: row.authenticity ?? PENDING,
    }
  }
}

/**
 * The ownership rule: household and loved one are part of the key, so a foreign message is a message that does not exist.
 * Read while the membership is checked, thrown away when that check fails.
 */
async function findMessage(ctx: Context, workspaceId: string, { lovedOneId, messageId }: GetInboxMessageRequest) {
  const _id = messageRowId({ workspaceId, lovedOneId }, messageId)
  const fields = { ...SUMMARY_FIELDS, text: 1, truncated: 1, attachments: 1, authenticity: 1 }
  return ctx.messages.findById(_id, fields).lean<Row | null>()
}

function messageNotFound(): StatusError {
  const message = 'There is no message with this messageId in this loved one’s inbox.'
  return new StatusError('NOT_FOUND', message, { field: 'messageId' })
}

function toWireAttachment({ filename, contentType, size, inline }: AttachmentMeta) {
  return { filename, contentType, size, inline }
}
