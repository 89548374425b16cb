import { olderThan } from '@family-inbox/service-kit/rpc/page'
import type { QueryFilter } from 'mongoose'
import type { Context } from '../context.ts'
import { INDEX, type IndexEntry } from '../models/index-entry.ts'
import { type Phrase, searchPeople, searchWords } from '../models/index-words.ts'
import type { Message } from '../models/message.ts'

export type MessageFilter = {
  workspaceId: string
  lovedOneIds: string[]
  category?: Message['category']
  withAttachments?: boolean
  receivedFrom?: Date
  receivedBefore?: Date
  /** Only these. */
  conversationIds?: string[]
  search?: Search
}

/** The keys find entries by the index; the patterns decide. */
export type Search = { keys: string[]; words: Phrase[]; people: Phrase[] }

export type MessageRef = { _id: string; lovedOneId: string; receivedAt: Date; conversationId?: string }

/** For common words that never occur together, MongoDB would scan all mail. */
const MAX_TIME_MS = 1500

const REF_FIELDS = { lovedOneId: 1, receivedAt: 1, conversationId: 1 } as const

export function readSearch(text: string, from: string[]): Search | undefined {
  const [anywhere, people] = [searchWords(text), searchPeople(from)]
  const keys = [...anywhere.keys, ...people.keys]
  return keys.length === 0 ? undefined : { keys, words: anywhere.phrases, people: people.phrases }
}

function needsIndex({ category, withAttachments, conversationIds, search }: MessageFilter): boolean {
  return [category, conversationIds, search].some((part) => part !== undefined) || withAttachments === true
}

/** Newest first, by an index in that order: the cost depends on the page, not the inbox. */
export async function findMessageRefs(
  { messages, indexEntries }: Pick<Context, 'messages' | 'indexEntries'>,
  filter: MessageFilter,
  { pageToken, limit, within = {} }: { pageToken: string; limit: number; within?: QueryFilter<MessageRef> },
): Promise<MessageRef[]> {
  const query = { $and: [inboxFilter(filter), timeFilter(filter), olderThan('receivedAt', pageToken), within] }
  const sort = { receivedAt: -1, _id: -1 } as const
  if (!needsIndex(filter))
    return messages
      .find(query as QueryFilter<Message>, REF_FIELDS)
      .sort(sort)
      .limit(limit)
      .lean<MessageRef[]>()
  return indexEntries
    .find({ $and: [...query.$and, contentFilter(filter)] } as QueryFilter<IndexEntry>, REF_FIELDS)
    .sort(sort)
    .limit(limit)
    .hint(indexFor(filter))
    .maxTimeMS(MAX_TIME_MS)
    .lean<MessageRef[]>()
}

/** All messages of these conversations that match, in no order. */
export async function findMatches(
  { indexEntries }: Pick<Context, 'indexEntries'>,
  filter: MessageFilter,
  conversationIds: string[],
): Promise<MessageRef[]> {
  const members = { conversationId: { $in: conversationIds } }
  return indexEntries
    .find({ $and: [inboxFilter(filter), members, timeFilter(filter), contentFilter(filter)] }, REF_FIELDS)
    .hint(INDEX.byConversation)
    .maxTimeMS(MAX_TIME_MS)
    .lean<MessageRef[]>()
}

/** Always filters by workspace: nothing can match outside it. */
function inboxFilter({ workspaceId, lovedOneIds }: MessageFilter) {
  return { workspaceId, lovedOneId: { $in: lovedOneIds } }
}

function timeFilter({ receivedFrom, receivedBefore }: MessageFilter) {
  if (receivedFrom === undefined && receivedBefore === undefined) return {}
  return { receivedAt: { ...(receivedFrom && { $gte: receivedFrom }), ...(receivedBefore && { $lt: receivedBefore }) } }
}

function contentFilter({ category, withAttachments, conversationIds, search }: MessageFilter) {
  return {
    ...(category && { category }),
    ...(conversationIds && { conversationId: { $in: conversationIds } }),
    ...(withAttachments && { hasAttachments: true }),
    ...(search && {
      keys: { $all: search.keys },
      $and: [
        ...search.words.map(({ pattern }) => ({ words: pattern })),
        ...search.people.map(({ pattern }) => ({ people: pattern })),
      ],
    }),
  }
}

function indexFor({ category, conversationIds, search }: MessageFilter): string {
  if (search !== undefined) return INDEX.byWord
  if (conversationIds !== undefined) return INDEX.byConversation
  return category === undefined ? INDEX.byAttachments : INDEX.byCategory
}
