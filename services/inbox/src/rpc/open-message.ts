import { quoteStart } from '@family-inbox/mail-reader/text/new-text'
import { type Membership, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import {
  type BrowseMessagesRequest,
  type OpenMessageRequest,
  OpenMessageResponse,
} from '@family-inbox/proto/inbox/v1/inbox'
import { type Call, type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { isAssistant } from '@family-inbox/workspace-kit/assistants'
import { waitingProposals } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import { findReminders } from '../conversations/find-reminders.ts'
import { findDeletedNotes, findNotes } from '../conversations/notes.ts'
import { browse } from '../finding/browse.ts'
import { findOthers, type Others, toConversationMessage, toShownAttachment } from '../finding/find-others.ts'
import { findStates } from '../finding/find-statuses.ts'
import { markRead } from '../finding/read-state.ts'
import { toRearrangements } from '../finding/to-rearrangements.ts'
import { toSummary, toWireAuthenticity, toWireConfirmation } from '../finding/to-summary.ts'
import { conversationOf, type Message, messageNotFound, messageRowId } from '../models/message.ts'
import { SUMMARY_FIELDS, type SummaryRow } from '../models/message-summary.ts'
import { findFooter } from '../models/reply-footer.ts'
import { explainNoRecipient, resolveReplyTo } from '../models/reply-to.ts'
import { readDrafts } from '../replying/drafts.ts'
import { findDeletedReplies, findReplies } from '../replying/find-replies.ts'
import { toWireProposal } from '../replying/reply-proposals.ts'
import { leadsToMember, withMembership } from '../replying/reply-recipient.ts'
import { findStoppedRecipients, toWireStop } from '../sending/stopped-mail.ts'

const FIELDS = {
  ...SUMMARY_FIELDS,
  workspaceId: 1,
  lovedOneId: 1,
  to: 1,
  forwarded: 1,
  text: 1,
  truncated: 1,
  hasMarkup: 1,
  textConverted: 1,
  attachments: 1,
  forwardingConfirmation: 1,
  sentAt: 1,
  proposed: 1,
  rearranged: 1,
} as const

type Row = SummaryRow & Pick<Message, keyof typeof FIELDS>

export function openMessage(ctx: Context): Handler<OpenMessageRequest, OpenMessageResponse> {
  return async ({ messageId, lovedOneId, markRead: isToBeRead, list }, call) => {
    const member = await ctx.requireMember(call, { lovedOneId })
    requireOwnList(list, lovedOneId)
    const { workspaceId } = member
    const row = await ctx.messages.findById(messageRowId({ workspaceId, lovedOneId }, messageId), FIELDS).lean<Row>()
    if (row === null) return whereItIs(ctx, call, messageRowId({ workspaceId, lovedOneId }, messageId))
    const message = { messageId, lovedOneId }
    const recorded = isToBeRead && ctx.recordAct(member, { act: 'open_message', message, hourly: row._id })
    const others = await findOthers(ctx, member, row)
    const [{ isRead, ...around }, recipient] = await Promise.all([
      findAround(ctx, member, row, others),
      findRecipient(ctx, member, row),
    ])
    const unread = [...(isRead ? [] : [row]), ...others.rows.filter(({ _id }) => others.unread.has(_id))]
    if (isToBeRead) for (const one of unread) await markRead(ctx, member, one)
    const listed = list && (await browse(ctx, member, list))
    await recorded
    return {
      ...around,
      ...recipient,
      conversationId: conversationOf(row),
      to: row.to,
      body: row.text,
      bodyTruncated: row.truncated,
      quoteStart: quoteStartOf(row),
      hasMarkup: row.hasMarkup ?? false,
      showLayoutFirst: row.textConverted ?? false,
      attachments: row.attachments.map(toShownAttachment),
      authenticity: toWireAuthenticity(row),
      forwardingConfirmation: row.forwardingConfirmation && toWireConfirmation(row.forwardingConfirmation),
      sentAt: row.sentAt,
      rearrangements: toRearrangements([row, ...others.rows]),
      others: others.rows.map((one) => toConversationMessage(ctx, one, others)),
      list: listed,
    }
  }
}

/** Leads old links to the inbox of another loved one, if the reader may look there. */
async function whereItIs(ctx: Context, call: Call, messageRowId: string): Promise<OpenMessageResponse> {
  const [moved] = isAssistant(requirePrincipal(call)) ? [] : await ctx.findMovedMessages([messageRowId])
  if (moved === undefined) throw messageNotFound()
  await ctx.requireMember(call, { lovedOneId: moved.toLovedOneId })
  return { ...OpenMessageResponse.decode(new Uint8Array()), movedTo: moved.toLovedOneId }
}

/** What a forward quotes is the letter. */
function quoteStartOf({ forwarded, forwardedByMember, text }: Row): number | undefined {
  return forwarded || forwardedByMember ? undefined : quoteStart(text)
}

/** The membership was checked for this loved one only. */
function requireOwnList(list: BrowseMessagesRequest | undefined, lovedOneId: string): void {
  if (list !== undefined && !['', lovedOneId].includes(list.lovedOneId)) throw messageNotFound()
}

/** Everything the family and its assistants did with a message and its conversation. */
async function findAround(ctx: Context, { personId, workspaceId, role }: Membership, row: Row, others: Others) {
  const all = [row._id, ...others.rows.map(({ _id }) => _id)]
  const [readers, drafts, replyFooter, replies, deletedReplies, notes, deletedNotes, reminders, proposals] =
    await Promise.all([
      findReaders(ctx, row._id, personId),
      readDrafts(ctx, row._id, personId),
      findFooter(ctx, workspaceId, row),
      findReplies(ctx, all),
      role === Role.VIEWER ? [] : findDeletedReplies(ctx, all, { personId, role }),
      findNotes(ctx, all),
      findDeletedNotes(ctx, all, { personId, role }),
      findReminders(ctx, all),
      row.proposed && role !== Role.VIEWER ? findWaiting(ctx, row._id) : [],
    ])
  return {
    ...readers,
    ...drafts,
    replyFooter,
    replies,
    deletedReplies,
    notes,
    deletedNotes,
    reminders,
    proposals: proposals.map((proposal) => toWireProposal(proposal)),
  }
}

/** Whom a reply goes to, which depends on who is a member now, and the message as lists show it. */
async function findRecipient(ctx: Context, { workspaceId, role }: Membership, row: Row) {
  const [replied, stateOf] = await Promise.all([withMembership(ctx, workspaceId, row), findStates(ctx, [row])])
  const replyTo = resolveReplyTo(replied, ctx.config) ?? ''
  const mayReply = role !== Role.VIEWER && replyTo !== ''
  const [replyToMember, [stop]] = await Promise.all([
    leadsToMember(ctx, workspaceId, row, replyTo),
    mayReply ? findStoppedRecipients(ctx, workspaceId, [replyTo]) : [],
  ])
  return {
    message: toSummary(replied, ctx.config, stateOf(row)),
    replyTo,
    replyToMember,
    replyRefusal: replyTo === '' ? explainNoRecipient(replied, ctx.config) : '',
    stop: stop && toWireStop(stop),
  }
}

function findWaiting(ctx: Context, messageRowId: string) {
  return ctx.replyProposals
    .find({ messageRowId, ...waitingProposals() })
    .sort({ createdAt: 1 })
    .lean()
}

/** Other readers, and whether the reader has opened it before and not marked it as unread since. */
async function findReaders(ctx: Context, messageRowId: string, ownId: string) {
  const marks = await ctx.readMarks
    .find({ messageRowId, readAt: { $exists: true } }, { personId: 1, readAt: 1, read: 1 })
    .sort({ readAt: 1 })
    .lean()
  const others = marks.filter(({ personId }) => personId !== ownId)
  return {
    readBy: others.map(({ personId, readAt }) => ({ personId, readAt })),
    isRead: marks.some(({ personId, read }) => personId === ownId && read),
  }
}
