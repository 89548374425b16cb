import type { ConversationView } from '@family-inbox/proto/inbox/v1/inbox'
import { cutPage } from '@family-inbox/service-kit/rpc/page'
import type { Context } from '../context.ts'
import { conversationOf, publicIdOf } from '../models/message.ts'
import { type ConversationRequest, isNewer } from './find-conversations.ts'
import { findMatches, type MessageRef } from './find-messages.ts'
import { findInView } from './find-statuses.ts'
import { findUnread } from './unread.ts'

/** Filters may leave out much, so a page may end before it is full. */
const MAX_BATCHES = 10

/** Returns a page of the conversations in a view, by their newest mail: the newest matching message of each. */
export async function findConversationsInView(
  ctx: Context,
  view: ConversationView,
  request: ConversationRequest,
  { pageToken, limit }: { pageToken: string; limit: number },
): Promise<{ page: MessageRef[]; nextPageToken: string }> {
  const found: MessageRef[] = []
  let token = pageToken
  for (let batches = 0; batches < MAX_BATCHES && found.length < limit; batches += 1) {
    const wanted = limit - found.length
    const rows = await findInView(ctx, view, request.reader, request.filter, { pageToken: token, limit: wanted + 1 })
    const { page, nextPageToken } = cutPage(rows, wanted, ({ mailAt }) => mailAt)
    found.push(...(await newestMatches(ctx, request, page.map(publicIdOf))))
    token = nextPageToken
    if (token === '') break
  }
  return { page: found, nextPageToken: token }
}

async function newestMatches(
  ctx: Context,
  { reader, watermarks, filter, isUnread }: ConversationRequest,
  conversationIds: string[],
): Promise<MessageRef[]> {
  if (conversationIds.length === 0) return []
  const matches = await findMatches(ctx, filter, conversationIds)
  const unread = isUnread && (await findUnread(ctx, reader, watermarks, matches))
  const newest = new Map<string, MessageRef>()
  for (const match of matches) {
    const known = newest.get(conversationOf(match))
    if (unread && !unread.has(match._id)) continue
    if (known === undefined || isNewer(match, known)) newest.set(conversationOf(match), match)
  }
  return [...newest.values()].sort((a, b) => (isNewer(a, b) ? -1 : 1))
}
