import { type Membership, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import {
  type BrowseMessagesRequest,
  type BrowseMessagesResponse,
  ConversationView,
  type InboxEntry,
} from '@family-inbox/proto/inbox/v1/inbox'
import { countTogether } from '@family-inbox/service-kit/mongo/count-together'
import { readPageSize } from '@family-inbox/service-kit/rpc/page'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { waitingProposals } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import { draftId } from '../models/draft.ts'
import { conversationOf, type Message } from '../models/message.ts'
import { SUMMARY_FIELDS, type SummaryRow } from '../models/message-summary.ts'
import type { Reader } from '../models/read-watermark.ts'
import { isAnswer, type Reply } from '../models/reply.ts'
import { type ConversationRequest, findConversations, findMembers } from './find-conversations.ts'
import { findConversationsInView } from './find-in-view.ts'
import { type MessageFilter, type MessageRef, readSearch } from './find-messages.ts'
import { countAll, findStates, viewsToCount } from './find-statuses.ts'
import { findWatermarks } from './read-state.ts'
import { fromWireCategory, toSummary, toWireAuthenticity } from './to-summary.ts'
import { countUnread, findUnread, marksToCount } from './unread.ts'

const MAX_SEARCH = 200
const MAX_SENDERS = 4

type Row = SummaryRow & Pick<Message, 'workspaceId' | 'lovedOneId' | 'forwardingConfirmation'>
type ReplyAuthor = Pick<Reply, 'messageRowId' | 'name' | 'assistant' | 'forward' | 'opening'>

/** A page of conversations with the reader's counts. Whoever calls it has checked that they may read what they ask for. */
export async function browse(
  ctx: Context,
  { personId, workspaceId, role }: Membership,
  request: BrowseMessagesRequest,
): Promise<BrowseMessagesResponse> {
  const asOf = ctx.liveUpdates.now()
  const reader = { personId, workspaceId }
  const limit = readPageSize(request.pageSize, { byDefault: 50, max: 100 })
  const everyone = await ctx.inboxAddresses.distinct('lovedOneId', { workspaceId })
  const watermarks = await findWatermarks(ctx, reader, everyone)
  const filter = toWanted(request, workspaceId, everyone)
  const wanted = { reader, watermarks, filter, isUnread: request.unread }
  const { view = ConversationView.UNSPECIFIED, pageToken } = request
  // Entries follow their page without a wait, so that a join of conversations in between is unlikely.
  const [list, { waiting, ...counts }] = await Promise.all([
    findPage(ctx, view, wanted, { pageToken, limit }).then((found) => toList(ctx, reader, watermarks, found)),
    countEach(ctx, wanted),
  ])
  return { ...list, ...counts, waitingProposals: role === Role.VIEWER ? undefined : waiting, asOf }
}

async function countEach(ctx: Context, { reader, watermarks, filter }: ConversationRequest) {
  const { workspaceId } = reader
  const views = viewsToCount(ctx, reader, filter)
  const waiting = { from: ctx.replyProposals, where: { workspaceId, ...waitingProposals() } }
  const [counted, all] = await Promise.all([
    countTogether<string>({ ...views, ...marksToCount(ctx, reader, watermarks), waiting }),
    countAll(ctx, workspaceId, filter),
  ])
  const { open = 0, mine = 0, done = 0 } = counted
  const unread = await countUnread(ctx, reader, watermarks, counted)
  return { unread, counts: { open, mine, done, all }, waiting: counted.waiting }
}

function findPage(
  ctx: Context,
  view: ConversationView,
  wanted: ConversationRequest,
  page: { pageToken: string; limit: number },
): Promise<{ page: MessageRef[]; nextPageToken: string }> {
  if (view === ConversationView.UNSPECIFIED) return findConversations(ctx, wanted, page)
  return findConversationsInView(ctx, view, wanted, page)
}

async function toList(
  ctx: Context,
  reader: Reader,
  watermarks: ReadonlyMap<string, Date>,
  { page, nextPageToken }: { page: MessageRef[]; nextPageToken: string },
) {
  return { entries: await readEntries(ctx, reader, watermarks, page), nextPageToken }
}

function toWanted(request: BrowseMessagesRequest, workspaceId: string, everyone: string[]): MessageFilter {
  const { lovedOneId, category, withAttachments, receivedFrom, receivedBefore, search, from } = request
  if (search.length > MAX_SEARCH) throw invalidArgument('search', `search must be at most ${MAX_SEARCH} characters.`)
  if (from.length > MAX_SENDERS || from.some((name) => name.length > MAX_SEARCH))
    throw invalidArgument('from', `from must be at most ${MAX_SENDERS} names of at most ${MAX_SEARCH} characters.`)
  return {
    workspaceId,
    lovedOneIds: lovedOneId === '' ? everyone : [lovedOneId],
    category: fromWireCategory(category),
    withAttachments,
    receivedFrom,
    receivedBefore,
    search: readSearch(search, from),
  }
}

/** Returns an entry for each conversation; its state is that of all its messages. */
async function readEntries(
  ctx: Context,
  reader: Reader,
  watermarks: ReadonlyMap<string, Date>,
  refs: MessageRef[],
): Promise<InboxEntry[]> {
  const fields = { ...SUMMARY_FIELDS, workspaceId: 1, lovedOneId: 1, forwardingConfirmation: 1 }
  const inboxes = { workspaceId: reader.workspaceId, lovedOneIds: [...watermarks.keys()] }
  const [rows, members] = await Promise.all([
    ctx.messages.find({ _id: { $in: refs.map(({ _id }) => _id) } }, fields).lean<Row[]>(),
    findMembers(ctx, inboxes, refs),
  ])
  const all = [...members.values()].flat()
  const ids = all.map(({ _id }) => _id)
  const [unread, replies, drafts, stateOf] = await Promise.all([
    findUnread(ctx, reader, watermarks, all),
    ctx.replies
      .find(
        { messageRowId: { $in: ids }, deletedAt: null },
        { messageRowId: 1, name: 1, assistant: 1, forward: 1, opening: 1 },
      )
      .sort({ createdAt: 1 })
      .lean<ReplyAuthor[]>(),
    ctx.drafts.distinct('messageRowId', { _id: { $in: ids.map((id) => draftId(reader.personId, id)) } }),
    findStates(ctx, rows),
  ])
  const rowOf = new Map(rows.map((row) => [row._id, row]))
  return refs.flatMap((ref) => {
    const row = rowOf.get(ref._id)
    if (row === undefined) return []
    const own = new Set((members.get(conversationOf(ref)) ?? [ref]).map(({ _id }) => _id))
    const sent = replies.filter(({ messageRowId }) => own.has(messageRowId))
    // Whoever wrote it has no answer yet.
    const answers = sent.filter(isAnswer)
    return {
      message: toSummary(row, ctx.config, stateOf(row)),
      lovedOneId: row.lovedOneId,
      conversationId: conversationOf(ref),
      unread: [...own].some((id) => unread.has(id)),
      replied: answers.length > 0,
      forwardingConfirmation: row.forwardingConfirmation !== undefined,
      turnCount: own.size + sent.filter(({ opening }) => opening === undefined).length,
      repliedBy: [...new Set(answers.map(nameOf))],
      hasDraft: drafts.some((id) => own.has(id)),
      authenticity: toWireAuthenticity(row),
    }
  })
}

/** Assistants reply for the person. */
function nameOf({ name, assistant }: ReplyAuthor): string {
  return assistant === undefined ? name : `${name}’s assistant`
}
