import { readNewText } from '@family-inbox/mail-reader/text/new-text'
import type { GetInboxMessageRequest, GetInboxMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { cut } from '@family-inbox/service-kit/text/cut'
import { BODY_CHARACTERS } from '@family-inbox/workspace-kit/tool-catalogue'
import type { Context } from '../context.ts'
import { readAccess } from '../conversations/notes.ts'
import { findNotesBeside } from '../conversations/notes-beside.ts'
import { findRelated } from '../finding/find-related.ts'
import { findStates } from '../finding/find-statuses.ts'
import { toSummary, toWireAttachment, toWireAuthenticity } from '../finding/to-summary.ts'
import { findTextsOf } from '../models/attachment-text.ts'
import { messageNotFound, messageRowId } from '../models/message.ts'
import type { ReadRow } from '../models/message-summary.ts'
import type { ReplyProposal } from '../models/reply-proposal.ts'
import { guardReading } from '../replying/guard.ts'
import { toWireProposal } from '../replying/reply-proposals.ts'
import { withMembership } from '../replying/reply-recipient.ts'

const MAX_PROPOSALS = 10

/**
 * Returns a message as plain text with attachment metadata; never their bytes, never HTML (SPEC "Inbox message"). Their text only if
 * the owner allows it. Notes are left
 * out beside mail of an unproven sender, who could ask the assistant to repeat them.
 */
export function getInboxMessage(ctx: Context): Handler<GetInboxMessageRequest, GetInboxMessageResponse> {
  return async (request, call) => {
    const { lovedOneId } = request
    const { workspaceId, personId } = requirePrincipal(call)
    const [member, row, access] = await Promise.all([
      ctx.requireMember(call, { lovedOneId }),
      findMessage(ctx, workspaceId, request),
      readAccess(ctx, workspaceId),
    ])
    if (row === undefined) throw messageNotFound()
    await guardReading(ctx, call, member, [row])
    const ref = { ...(await withMembership(ctx, workspaceId, row)), workspaceId, lovedOneId }
    const [stateOf, conversation, fileTexts, { notes, isWithheld }, proposals] = await Promise.all([
      findStates(ctx, [ref]),
      findRelated(ctx, ref),
      access.files && row.attachments.length > 0 ? readFileTexts(ctx, row._id) : new Map<number, string>(),
      access.notes ? findNotesBeside(ctx, ref) : { notes: [], isWithheld: false },
      row.proposed ? findProposals(ctx, row._id, personId) : [],
    ])
    const body = cut(row.text, BODY_CHARACTERS)
    return {
      message: toSummary(ref, ctx.config, stateOf(ref)),
      body,
      bodyTruncated: row.truncated || body.length < row.text.length,
      newText: newTextOf(row),
      conversation,
      attachments: row.attachments.map((file) => ({ ...toWireAttachment(file), text: fileTexts.get(file.index) })),
      authenticity: toWireAuthenticity(row),
      proposals: proposals.map((proposal) => toWireProposal(proposal)),
      notes,
      notesWithheld: isWithheld || undefined,
    }
  }
}

/** A forwarded mail is what the letter is about, whoever is quoted in it. */
function newTextOf({ text, forwardedByMember }: ReadRow): string | undefined {
  const newText = forwardedByMember ? undefined : readNewText(text)
  return newText === undefined ? undefined : cut(newText, BODY_CHARACTERS)
}

/** What the files of a message say, by their index; at most the length of a body together. */
async function readFileTexts(ctx: Context, messageRowId: string): Promise<Map<number, string>> {
  const texts = await findTextsOf(ctx, messageRowId)
  let left = BODY_CHARACTERS
  const shown = [...texts].map(([index, text]): [number, string] => {
    const part = cut(text, left)
    left -= part.length
    return [index, part]
  })
  return new Map(shown.filter(([, text]) => text !== ''))
}

async function findProposals(ctx: Context, messageRowId: string, personId: string) {
  return ctx.replyProposals
    .find({ messageRowId, personId })
    .sort({ createdAt: -1 })
    .limit(MAX_PROPOSALS)
    .lean<ReplyProposal[]>()
}

/** The key holds workspace and loved one, so others’ messages do not exist. Discarded if the membership check fails. */
async function findMessage(ctx: Context, workspaceId: string, { lovedOneId, messageId }: GetInboxMessageRequest) {
  const [row] = await ctx.findMessages([messageRowId({ workspaceId, lovedOneId }, messageId)])
  return row
}
