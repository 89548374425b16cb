import type { BrowseMessagesRequest } from '@family-inbox/proto/inbox/v1/inbox'
import { withQuery } from '../shell/paging.ts'
import { dayAfter, startOfDay } from '../shell/reader-clock.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import { categoryOf } from './category-words.ts'
import type { WordSeal } from './sealed-words.ts'

/** Which part of the mail a page lists, as its address says it: whose, which, and from where on. No word of the family's. */
export type ListQuery = {
  /** Whose inbox; undefined for everyone’s. */
  lovedOne: LovedOne | undefined
  category: string
  unread: boolean
  attachments: boolean
  /** Days as date fields write them. */
  since: string
  until: string
  /** The words searched for, sealed; empty for none. */
  sealedWords: string
  cursor: string
}

const MAX_CURSOR = 1000

/** Reads what a page's address asks for. What is no category or day is as good as nothing. */
export function readListQuery(visit: Pick<Visit, 'query' | 'clock'>, lovedOne: LovedOne | undefined): ListQuery {
  const day = (name: string) => (startOfDay(visit.query(name), visit.clock) ? visit.query(name) : '')
  const category = visit.query('category')
  return {
    lovedOne,
    category: categoryOf(category) === 'CATEGORY_UNSPECIFIED' ? '' : category,
    unread: visit.query('unread') !== '',
    attachments: visit.query('attachments') !== '',
    since: day('since'),
    until: day('until'),
    sealedWords: visit.query('words').slice(0, 2000),
    cursor: visit.query('cursor').slice(0, MAX_CURSOR),
  }
}

/** Whether the list is less than the whole inbox. */
export function isFiltered({ category, unread, attachments, since, until, sealedWords }: ListQuery): boolean {
  return category !== '' || unread || attachments || since !== '' || until !== '' || sealedWords !== ''
}

/** Where the list is; with changes, where another list is. A change goes back to the list's beginning. */
export function listHref(query: ListQuery, changes?: Partial<ListQuery>): string {
  const changed = changes ? { ...query, cursor: '', ...changes } : query
  return withQuery(inboxPath(changed.lovedOne), { ...parametersOf(changed), cursor: changed.cursor })
}

/** Where a message is, opened from a list, so that the way back leads there. */
export function messageHref(query: ListQuery, lovedOneId: string, messageId: string): string {
  const all = query.lovedOne === undefined ? '1' : ''
  return withQuery(`/inbox/${lovedOneId}/${messageId}`, { all, ...parametersOf(query), cursor: query.cursor })
}

export function inboxPath(lovedOne: LovedOne | undefined): string {
  return lovedOne ? `/inbox/${lovedOne.id}` : '/'
}

/** The query parameters of a list's filters. */
export function parametersOf(query: ListQuery): Record<string, string> {
  return {
    category: query.category,
    unread: query.unread ? '1' : '',
    attachments: query.attachments ? '1' : '',
    since: query.since,
    until: query.until,
    words: query.sealedWords,
  }
}

/** What inbox is asked for a list. */
export function toBrowseRequest(
  query: ListQuery,
  { session }: Workspace,
  { clock }: Pick<Visit, 'clock'>,
  seal: WordSeal,
): BrowseMessagesRequest {
  return {
    lovedOneId: query.lovedOne?.id ?? '',
    category: categoryOf(query.category),
    unread: query.unread,
    withAttachments: query.attachments,
    receivedFrom: startOfDay(query.since, clock),
    receivedBefore: query.until === '' ? undefined : startOfDay(dayAfter(query.until), clock),
    search: seal.open(query.sealedWords, session.personId, clock.now),
    pageSize: PAGE_SIZE,
    pageToken: query.cursor,
  }
}

/** What a phone scrolls through without effort. */
const PAGE_SIZE = 40
