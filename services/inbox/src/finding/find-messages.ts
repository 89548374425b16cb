import { olderThan, tokenAfter } from '@family-inbox/service-kit/rpc/page'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
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

/** The keys find entries by the index; the patterns decide: those of words here, because words are stored sealed. */
export type Search = { keys: string[]; words: Phrase[]; people: Phrase[] }

export type MessageRef = { _id: string; lovedOneId: string; receivedAt: Date; conversationId?: string }

type Stores = Pick<Context, 'messages' | 'indexEntries' | 'workspaceKeys'>

/** For common words that never occur together, all mail would be read. */
const MAX_TIME_MS = 1500
/** Entries to read at a time when a page is not full yet. */
const MORE = 200

const REF_FIELDS = { lovedOneId: 1, receivedAt: 1, conversationId: 1 } as const
const NEWEST_FIRST = { receivedAt: -1, _id: -1 } as const

export function readSearch(text: string, from: string[]): Search | undefined {
  const [anywhere, people] = [searchWords(text), searchPeople(from)]
  const keys = [...anywhere.keys, ...people.keys]
  return keys.length === 0 ? undefined : { keys, words: anywhere.phrases, people: people.phrases }
}

function needsIndex({ category, withAttachments, conversationIds, search }: MessageFilter): boolean {
  return [category, conversationIds, search].some((part) => part !== undefined) || withAttachments === true
}

/** Newest first, by an index in that order: the cost depends on the page, not the inbox. @throws StatusError RESOURCE_EXHAUSTED */
export async function findMessageRefs(
  stores: Stores,
  filter: MessageFilter,
  { pageToken, limit, within = {} }: { pageToken: string; limit: number; within?: QueryFilter<MessageRef> },
): Promise<MessageRef[]> {
  const query = (token: string) => [inboxFilter(filter), timeFilter(filter), olderThan('receivedAt', token), within]
  if (!needsIndex(filter))
    return stores.messages
      .find({ $and: query(pageToken) } as QueryFilter<Message>, REF_FIELDS)
      .sort(NEWEST_FIRST)
      .limit(limit)
      .lean<MessageRef[]>()
  const found: MessageRef[] = []
  const endsAt = Date.now() + MAX_TIME_MS
  for (let token = pageToken, size = limit; ; size = MORE) {
    const entries = await findEntries(stores, filter, query(token), { size, hint: indexFor(filter) })
    found.push(...entries.filter((entry) => matches(entry, filter)).map(toRef))
    const last = entries.at(-1)
    if (found.length >= limit || last === undefined || entries.length < size) return found.slice(0, limit)
    if (Date.now() > endsAt) throw tooMuchMail()
    token = tokenAfter(last, last.receivedAt)
  }
}

/** All messages of these conversations that match, in no order. */
export async function findMatches(
  stores: Stores,
  filter: MessageFilter,
  conversationIds: string[],
): Promise<MessageRef[]> {
  const query = [inboxFilter(filter), { conversationId: { $in: conversationIds } }, timeFilter(filter)]
  const entries = await findEntries(stores, filter, query, { hint: INDEX.byConversation })
  return entries.filter((entry) => matches(entry, filter)).map(toRef)
}

type Entry = MessageRef & Partial<Pick<IndexEntry, 'words'>>

async function findEntries(
  { indexEntries, workspaceKeys }: Stores,
  filter: MessageFilter,
  query: object[],
  { size = 0, hint }: { size?: number; hint: string },
): Promise<Entry[]> {
  const { workspaceId, search } = filter
  const keys = search ? (await workspaceKeys.sealerOf(workspaceId)).formsOf(search.keys) : []
  const withKeys = keys.map((forms) => ({ keys: { $in: forms } }))
  return indexEntries
    .find(
      { $and: [...query, contentFilter(filter), ...withKeys] } as QueryFilter<IndexEntry>,
      search ? { ...REF_FIELDS, words: 1 } : REF_FIELDS,
    )
    .sort(size === 0 ? {} : NEWEST_FIRST)
    .limit(size)
    .hint(hint)
    .maxTimeMS(MAX_TIME_MS)
    .lean<Entry[]>()
}

function matches({ words = '' }: Entry, { search }: MessageFilter): boolean {
  return search === undefined || search.words.every(({ pattern }) => pattern.test(words))
}

function toRef({ words: _words, ...ref }: Entry): MessageRef {
  return ref
}

function tooMuchMail(): StatusError {
  return new StatusError(
    'RESOURCE_EXHAUSTED',
    'Too much mail has these words. Search for longer ones, or add a name or a date.',
  )
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
    ...(search && search.people.length > 0 && { $and: search.people.map(({ pattern }) => ({ people: pattern })) }),
  }
}

function indexFor({ category, conversationIds, search }: MessageFilter): string {
  if (search !== undefined) return INDEX.byWord
  if (conversationIds !== undefined) return INDEX.byConversation
  return category === undefined ? INDEX.byAttachments : INDEX.byCategory
}
