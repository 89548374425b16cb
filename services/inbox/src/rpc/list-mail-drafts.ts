import type {
  ListMailDraftsRequest,
  ListMailDraftsResponse,
  MailDraft,
  ReplyAttachment,
} from '@family-inbox/proto/inbox/v1/inbox'
import { idsBelow } from '@family-inbox/service-kit/mongo/rows'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { type Draft, newMailRowId } from '../models/draft.ts'
import { publicIdOf } from '../models/message.ts'
import { findDraftFiles } from '../replying/reply-files.ts'

const MOST = 100

/** The caller's own unsent forwards and new message. Owner and coordinators only. */
export function listMailDrafts(ctx: Context): Handler<ListMailDraftsRequest, ListMailDraftsResponse> {
  return async (_request, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call, { write: true })
    requirePerson(call)
    const [rows, files] = await Promise.all([
      ctx.drafts
        .find({ _id: idsBelow(personId), workspaceId, kind: { $exists: true } })
        .sort({ changedAt: -1 })
        .limit(MOST)
        .lean(),
      findDraftFiles(ctx, { messageRowId: newMailRowId(workspaceId), personId }),
    ])
    const [opening, forwards] = [rows.find(isOpening), rows.filter((row) => !isOpening(row))]
    const ids = forwards.map(({ messageRowId }) => messageRowId)
    const messages = ids.length === 0 ? [] : await ctx.messages.find({ _id: { $in: ids } }, { subject: 1 }).lean()
    const subjectOf = new Map(messages.map(({ _id, subject }) => [_id, subject]))
    const drafts = forwards.flatMap((row) => {
      const subject = subjectOf.get(row.messageRowId)
      // Of a message in Junk or Deleted: there again when that is put back.
      return subject === undefined
        ? []
        : [{ ...toWire(row), messageId: publicIdOf({ _id: row.messageRowId }), subject }]
    })
    return { drafts: [...toOpening(opening, files), ...drafts] }
  }
}

function isOpening({ kind }: Draft): boolean {
  return kind === 'opening'
}

/** A file may have been added before anything was written. */
function toOpening(row: Draft | undefined, files: ReplyAttachment[]): MailDraft[] {
  if (row === undefined && files.length === 0) return []
  return [{ ...toWire(row ?? {}), attachments: { files } }]
}

function toWire({
  lovedOneId = '',
  to = '',
  cc = '',
  subject = '',
  body = '',
  parts,
  changedAt,
}: Partial<Draft>): MailDraft {
  return { lovedOneId, messageId: '', to, cc, subject, body, parts, attachments: undefined, changedAt }
}
