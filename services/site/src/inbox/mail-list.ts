import type {
  BrowseMessagesRequest,
  BrowseMessagesResponse,
  InboxEntry,
  ViewCounts,
} from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { shiftDay, startOfDay } from '@family-inbox/service-kit/time/calendar-day'
import { readSearchTerms, type SearchTerms } from '@family-inbox/workspace-kit/search-terms'
import type { Context } from '../context.ts'
import { inboxPath, messageIdsOf, messagePath, nextPath } from '../shell/inbox-paths.ts'
import { withQuery } from '../shell/parts.ts'
import { openWords, readerOf } from '../shell/sealed-words.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import { categoryOf } from './category-words.ts'
import { readView, type TabName, type ViewName, viewOf } from './view-tabs.ts'

const PAGE_SIZE = 40
const MAX_CURSOR = 1000

export type ListQuery = {
  lovedOne: LovedOne | undefined
  view: ViewName | ''
  category: string
  unread: boolean
  attachments: boolean
  /** Days as `YYYY-MM-DD`; empty for none. */
  since: string
  until: string
  /** The search words, encrypted; empty for none. */
  sealedWords: string
  cursor: string
}

export function readListQuery(visit: Pick<Visit, 'query' | 'clock'>, lovedOne: LovedOne | undefined): ListQuery {
  const day = (name: string) => (startOfDay(visit.query(name), visit.clock) ? visit.query(name) : '')
  const category = visit.query('category')
  return {
    lovedOne,
    view: readView(visit.query('view')),
    category: categoryOf(category) === 'CATEGORY_UNSPECIFIED' ? '' : category,
    unread: visit.query('unread') !== '',
    attachments: visit.query('attachments') !== '',
    since: day('since'),
    until: day('until'),
    sealedWords: visit.query('words').slice(0, 2000),
    cursor: visit.query('cursor').slice(0, MAX_CURSOR),
  }
}

export function isFiltered({ category, unread, attachments, since, until, sealedWords }: ListQuery): boolean {
  return category !== '' || unread || attachments || since !== '' || until !== '' || sealedWords !== ''
}

/** The URL of a list. With changes, it starts at the first page. */
export function listHref(query: ListQuery, changes?: Partial<ListQuery>): string {
  const changed = changes ? { ...query, cursor: '', ...changes } : query
  return withQuery(inboxPath(changed.lovedOne), { ...parametersOf(changed), cursor: changed.cursor })
}

export function tabHref(query: ListQuery, tab: TabName): string {
  return tab === 'next' ? nextPath(query.lovedOne) : listHref(query, { view: tab })
}

/** The URL of a message. It keeps the list's query for the Back link. */
export function messageHref(query: ListQuery, lovedOneId: string, messageId: string): string {
  return withList(`/inbox/${lovedOneId}/${messageId}`, query)
}

/** Adds the list's query to the address of a message or of one of its forms. */
export function withList(path: string, query: ListQuery): string {
  return withQuery(path, listQueryOf(query))
}

export function listQueryOf(query: ListQuery): Record<string, string> {
  const all = query.lovedOne === undefined ? '1' : ''
  return { all, ...parametersOf(query), cursor: query.cursor }
}

/** The query of the list that a message was opened from. */
export function readMessageQuery(visit: Visit, { lovedOnes }: Workspace): ListQuery {
  const lovedOne = lovedOnes.find(({ id }) => id === visit.id('lovedOneId'))
  return readListQuery(visit, visit.query('all') === '' ? lovedOne : undefined)
}

/** That query as it was sent, for forms and pages of a message. */
export function sentListQuery(visit: Visit): Record<string, string> {
  return { ...listQueryOf(readListQuery(visit, undefined)), all: visit.query('all') === '' ? '' : '1' }
}

/** After a form of a message: its page in the list it was opened from, at the part that shows the result. */
export function backToMessage(visit: Visit, part = '', values: Record<string, string> = {}): string {
  const path = withQuery(messagePath(messageIdsOf(visit)), { ...sentListQuery(visit), ...values })
  return part === '' ? path : `${path}#${part}`
}

export function parametersOf(query: ListQuery): Record<string, string> {
  return {
    view: query.view,
    category: query.category,
    unread: query.unread ? '1' : '',
    attachments: query.attachments ? '1' : '',
    since: query.since,
    until: query.until,
    words: query.sealedWords,
  }
}

function toBrowseRequest(
  query: ListQuery,
  { since, before, ...terms }: SearchTerms,
  { clock }: Pick<Visit, 'clock'>,
): BrowseMessagesRequest {
  const days = { since: [query.since, since].sort().at(-1) ?? '', before: query.until && shiftDay(query.until, 1) }
  if (before !== '' && (days.before === '' || before < days.before)) days.before = before
  return {
    lovedOneId: query.lovedOne?.id ?? '',
    category: categoryOf(query.category),
    unread: query.unread,
    withAttachments: query.attachments || terms.hasFile,
    receivedFrom: startOfDay(days.since, clock),
    receivedBefore: startOfDay(days.before, clock),
    search: terms.words,
    from: terms.from,
    pageSize: PAGE_SIZE,
    pageToken: query.cursor,
    view: viewOf(query.view),
  }
}

export type MailList = {
  workspace: Workspace
  query: ListQuery
  /** The search, decrypted. */
  words: string
  terms: SearchTerms
  entries: InboxEntry[]
  /** Counted up to 100. */
  unread: number
  /** Replies of assistants that wait for the reader to send them. */
  waiting?: number | undefined
  /** Each counted up to 100. */
  counts?: ViewCounts | undefined
  nextHref?: string
  /** When it was read, for what listens to updates. */
  asOf?: string | undefined
}

/** Reads a list. An invalid cursor starts at the first page. */
export async function readMailList(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  query: ListQuery,
): Promise<MailList> {
  const { request, toList } = askFor(ctx, visit, workspace, query)
  if (request === undefined) return toList(undefined)
  try {
    return toList(await ctx.inbox.browseMessages(request, asPerson(workspace.session, visit)))
  } catch (error) {
    if (isCursorInvalid(error, query)) return readMailList(ctx, visit, workspace, { ...query, cursor: '' })
    throw error
  }
}

type Asked = {
  /** Undefined for a search with an operator that means nothing: its results would mislead. */
  request: BrowseMessagesRequest | undefined
  toList(page: BrowseMessagesResponse | undefined): MailList
}

export function askFor(ctx: Context, visit: Visit, workspace: Workspace, query: ListQuery): Asked {
  const words = openWords(query.sealedWords, readerOf(ctx, visit, workspace))
  const terms = readSearchTerms(words, visit.clock)
  return {
    request: terms.problems.length > 0 ? undefined : toBrowseRequest(query, terms, visit),
    toList(page) {
      if (page === undefined) return { workspace, query, words, terms, entries: [], unread: 0 }
      const counted = page.unread.filter(({ lovedOneId }) => !query.lovedOne || lovedOneId === query.lovedOne.id)
      return {
        workspace,
        query,
        words,
        terms,
        entries: page.entries,
        unread: counted.reduce((sum, { count }) => sum + count, 0),
        waiting: page.waitingProposals,
        counts: page.counts,
        asOf: page.asOf,
        nextHref: page.nextPageToken === '' ? undefined : listHref({ ...query, cursor: page.nextPageToken }),
      }
    },
  }
}

export function isCursorInvalid(error: unknown, { cursor }: ListQuery): boolean {
  return error instanceof StatusError && error.detail.field === 'cursor' && cursor !== ''
}
