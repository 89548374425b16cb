import { cutPage, tokenAfter } from '@family-inbox/service-kit/rpc/page'
import type { Context } from '../context.ts'
import { INDEX, type IndexEntry } from '../models/index-entry.ts'
import { conversationOf } from '../models/message.ts'
import type { Reader } from '../models/read-watermark.ts'
import { findMatches, findMessageRefs, type MessageFilter, type MessageRef } from './find-messages.ts'
import { findUnread, findUnreadRefs } from './unread.ts'

/** Long conversations repeat in the messages that are read, so a page may end before it is full. */
const MAX_BATCHES = 10

type Page = { pageToken: string; limit: number }

export type ConversationRequest = {
  reader: Reader
  watermarks: ReadonlyMap<string, Date>
  filter: MessageFilter
  isUnread: boolean
}

/**
 * Returns a page of conversations: the newest matching message of each, newest first. Reads messages in that order and skips those
 * of a conversation that was listed before, so its cost depends on the page, not on the inbox.
 */
export async function findConversations(
  ctx: Context,
  request: ConversationRequest,
  { pageToken, limit }: Page,
): Promise<{ page: MessageRef[]; nextPageToken: string }> {
  const found = new Map<string, MessageRef>()
  const size = 2 * limit
  let token = pageToken
  for (let batches = 0; batches < MAX_BATCHES && found.size <= limit; batches += 1) {
    const refs = await findRefs(ctx, request, { pageToken: token, limit: size })
    const first = firstOfEach(refs.filter((ref) => !found.has(conversationOf(ref))))
    const earlier = pageToken === '' ? new Set() : await listedEarlier(ctx, request, first)
    for (const ref of first) if (!earlier.has(ref)) found.set(conversationOf(ref), ref)
    const last = refs.at(-1)
    token = last === undefined || refs.length < size ? '' : tokenAfter(last, last.receivedAt)
    if (token === '') break
  }
  const all = [...found.values()]
  if (all.length > limit) return cutPage(all, limit, ({ receivedAt }) => receivedAt)
  return { page: all, nextPageToken: token }
}

function findRefs(
  ctx: Context,
  { reader, watermarks, filter, isUnread }: ConversationRequest,
  page: Page,
): Promise<MessageRef[]> {
  return isUnread ? findUnreadRefs(ctx, reader, watermarks, filter, page) : findMessageRefs(ctx, filter, page)
}

function firstOfEach(refs: MessageRef[]): MessageRef[] {
  const known = new Set<string>()
  return refs.filter((ref) => !known.has(conversationOf(ref)) && known.add(conversationOf(ref)))
}

/** Those whose conversation has a newer match: it is on an earlier page. */
async function listedEarlier(
  ctx: Context,
  { reader, watermarks, filter, isUnread }: ConversationRequest,
  refs: MessageRef[],
): Promise<Set<MessageRef>> {
  const matches = await findMatches(ctx, filter, refs.map(conversationOf))
  const unread = isUnread && (await findUnread(ctx, reader, watermarks, matches))
  const refOf = new Map(refs.map((ref) => [conversationOf(ref), ref]))
  const earlier = new Set<MessageRef>()
  for (const match of matches) {
    const ref = refOf.get(conversationOf(match))
    if (ref !== undefined && isNewer(match, ref) && (!unread || unread.has(match._id))) earlier.add(ref)
  }
  return earlier
}

export function isNewer(one: MessageRef, other: MessageRef): boolean {
  const difference = one.receivedAt.getTime() - other.receivedAt.getTime()
  return difference > 0 || (difference === 0 && one._id > other._id)
}

/** A page of conversations has seldom more messages. The driver would fetch them by a hundred. */
const AT_ONCE = 2000

type Member = Pick<IndexEntry, '_id' | 'lovedOneId' | 'receivedAt' | 'conversationId'>

/** The messages of these conversations, newest first, with the given ones, which may not be indexed yet. */
export async function findMembers(
  { indexEntries }: Pick<Context, 'indexEntries'>,
  { workspaceId, lovedOneIds }: Pick<MessageFilter, 'workspaceId' | 'lovedOneIds'>,
  refs: MessageRef[],
): Promise<Map<string, MessageRef[]>> {
  const members = await indexEntries
    .find(
      { workspaceId, lovedOneId: { $in: lovedOneIds }, conversationId: { $in: refs.map(conversationOf) } },
      { lovedOneId: 1, receivedAt: 1, conversationId: 1 },
    )
    .sort({ receivedAt: -1, _id: -1 })
    .hint(INDEX.byConversation)
    .batchSize(AT_ONCE)
    .lean<Member[]>()
  const known = new Set(members.map(({ _id }) => _id))
  const grouped = new Map<string, MessageRef[]>()
  for (const one of [...refs.filter(({ _id }) => !known.has(_id)), ...members]) {
    const conversation = conversationOf(one)
    grouped.set(conversation, [...(grouped.get(conversation) ?? []), one])
  }
  return grouped
}
