import { olderThan } from '@family-inbox/service-kit/rpc/page'
import type { QueryFilter } from 'mongoose'
import type { Context } from '../context.ts'
import { INDEX, type IndexEntry } from '../models/index-entry.ts'
import type { Message } from '../models/message.ts'
import { searchWords } from './words.ts'

/** Which messages are filter; what is undefined does not matter. */
export type MessageFilter = {
  workspaceId: string
  lovedOneIds: string[]
  category?: Message['category']
  withAttachments?: boolean
  receivedFrom?: Date
  receivedBefore?: Date
  search?: { keys: string[]; patterns: RegExp[] }
}

export type MessageRef = { _id: string; lovedOneId: string; receivedAt: Date }

/** Words that are in half of all mail and stand together in none make the database look through all of it: not for ever. */
const MAX_TIME_MS = 1500

const REF_FIELDS = { lovedOneId: 1, receivedAt: 1 } as const

/** The search for what somebody typed; undefined when no word is in it. */
export function readSearch(text: string): MessageFilter['search'] {
  const search = searchWords(text)
  return search.keys.length === 0 ? undefined : search
}

/** Whether the messages’ own rows can tell, or the index of what is in them is needed. */
export function needsIndex({ category, withAttachments, search }: MessageFilter): boolean {
  return category !== undefined || withAttachments === true || search !== undefined
}

/**
 * The refs of the newest filter messages after a page token, newest first. What the filter have in common beside the time
 * is looked up in an index that yields them in this order, so that a page costs what it holds and not what there is.
 * @param within further conditions on the refs, such as a set of keys
 */
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

/** The household first, always: nothing that is filter can lead out of it. */
function inboxFilter({ workspaceId, lovedOneIds }: MessageFilter) {
  return { workspaceId, lovedOneId: { $in: lovedOneIds } }
}

function timeFilter({ receivedFrom, receivedBefore }: MessageFilter) {
  if (receivedFrom === undefined && receivedBefore === undefined) return {}
  return { receivedAt: { ...(receivedFrom && { $gte: receivedFrom }), ...(receivedBefore && { $lt: receivedBefore }) } }
}

function contentFilter({ category, withAttachments, search }: MessageFilter) {
  return {
    ...(category && { category }),
    ...(withAttachments && { hasAttachments: true }),
    ...(search && { keys: { $all: search.keys }, $and: search.patterns.map((words) => ({ words })) }),
  }
}

function indexFor({ category, search }: MessageFilter): string {
  if (search !== undefined) return INDEX.byWord
  return category === undefined ? INDEX.byAttachments : INDEX.byCategory
}
