import type { GetInboxMessageRequest, GetInboxMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { cut } from '@family-inbox/service-kit/text/cut'
import { BODY_CHARACTERS } from '@family-inbox/workspace-kit/tool-catalogue'
import type { Context } from '../context.ts'
import { type Message, messageRowId } from '../models/message.ts'
import {
  messageNotFound,
  PENDING_AUTHENTICITY,
  SUMMARY_FIELDS,
  type SummaryRow,
  toSummary,
  toWireAttachment,
} from '../to-wire.ts'

type Row = SummaryRow & Pick<Message, 'text' | 'truncated' | 'attachments' | 'authenticity'>

/** Returns a message as plain text with attachment metadata; never their bytes, never HTML (SPEC "Inbox message"). */
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
      authenticity: row.authenticity ?? PENDING_AUTHENTICITY,
    }
  }
}

/** The key holds workspace and loved one, so others’ messages do not exist. Discarded if the membership check fails. */
async function findMessage(ctx: Context, workspaceId: string, { lovedOneId, messageId }: GetInboxMessageRequest) {
  const _id = messageRowId({ workspaceId, lovedOneId }, messageId)
  const fields = { ...SUMMARY_FIELDS, text: 1, truncated: 1, attachments: 1, authenticity: 1 }
  return ctx.messages.collection.findOne<Row>({ _id: _id as never }, { projection: fields })
}
