import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { OpenMessageAsideRequest, OpenMessageAsideResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { ASIDE_FIELDS, type AsideRow, toWireAside } from '../deleting/to-wire-aside.ts'
import { messageNotFound, messageRowId } from '../models/message.ts'
import { type MessageAside, VISIBLE } from '../models/message-aside.ts'

const FIELDS = { ...ASIDE_FIELDS, 'message.text': 1, 'message.attachments.filename': 1 } as const

type Row = AsideRow & { message: Pick<MessageAside['message'], 'text' | 'attachments'> }

/** One message of Junk or Deleted, as text. To a viewer, a deleted one does not exist. */
export function openMessageAside(ctx: Context): Handler<OpenMessageAsideRequest, OpenMessageAsideResponse> {
  return async ({ messageId, lovedOneId }, call) => {
    const { workspaceId, role } = await ctx.requireMember(call, { lovedOneId })
    requirePerson(call)
    const _id = messageRowId({ workspaceId, lovedOneId }, messageId)
    const row = await ctx.messagesAside.findOne({ _id, ...VISIBLE }, FIELDS).lean<Row>()
    if (row === null || (row.place === 'deleted' && role === Role.VIEWER)) throw messageNotFound()
    const { text, attachments } = row.message
    return { message: toWireAside(row), body: text, fileNames: attachments.map(({ filename }) => filename) }
  }
}
