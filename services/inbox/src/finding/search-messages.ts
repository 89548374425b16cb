import type { ConversationStatus, ListInboxMessagesRequest, MessageMatches } from '@family-inbox/proto/inbox/v1/inbox'
import { cutPage, tokenAfter } from '@family-inbox/service-kit/rpc/page'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { startOfDay } from '@family-inbox/service-kit/time/calendar-day'
import { readSearchTerms } from '@family-inbox/workspace-kit/search-terms'
import type { Context } from '../context.ts'
import { SUMMARY_FIELDS, type SummaryRow } from '../models/message-summary.ts'
import { notificationSettingId } from '../models/notification-setting.ts'
import type { Reader } from '../models/read-watermark.ts'
import { findMatchesOf } from './find-matches.ts'
import { findMessageRefs, type MessageFilter, type MessageRef, readSearch } from './find-messages.ts'
import { findFewInStatus, findStates, fromWireStatus } from './find-statuses.ts'
import { findWatermarks } from './read-state.ts'
import { fromWireCategory } from './to-summary.ts'
import { findUnreadRefs } from './unread.ts'

const MAX_QUERY = 200
/** Read at a time, where the status of each decides. */
const BATCH = 200
/** Bounds the work whatever is asked: a page may end before it is full. */
const MAX_BATCHES = 10

type Page = { pageToken: string; limit: number }
type Found = { page: SummaryRow[]; nextPageToken: string }

/** Whether anything but the newest mail is asked for. */
export function isFiltered(request: ListInboxMessagesRequest): boolean {
  const { query, from, receivedFrom, receivedBefore, unread, withAttachments } = request
  const isSet = [query, from, receivedFrom, receivedBefore, unread, withAttachments].some(Boolean)
  return isSet || fromWireCategory(request.category) !== undefined || fromWireStatus(request.status) !== undefined
}

/** Messages that match all of the request, newest first. @throws StatusError INVALID_ARGUMENT for a query that cannot be read */
export async function searchMessages(
  ctx: Context,
  reader: Reader,
  request: ListInboxMessagesRequest,
  page: Page,
): Promise<Found & { matches: MessageMatches[] }> {
  const filter = await readFilter(ctx, reader, request)
  const status = fromWireStatus(request.status)
  const few = status && (await findFewInStatus(ctx, reader, request.lovedOneId, status))
  if (few?.length === 0) return { page: [], nextPageToken: '', matches: [] }
  const within = few === undefined ? filter : { ...filter, conversationIds: few }
  const found = await findPage(ctx, reader, within, request, page)
  return { ...found, matches: filter.search ? await findMatchesOf(ctx, found.page, filter.search) : [] }
}

async function findPage(
  ctx: Context,
  reader: Reader,
  filter: MessageFilter,
  { status, unread }: ListInboxMessagesRequest,
  { pageToken, limit }: Page,
): Promise<Found> {
  const size = fromWireStatus(status) === undefined ? limit + 1 : BATCH
  const watermarks = unread ? await findWatermarks(ctx, reader, filter.lovedOneIds) : undefined
  const found: SummaryRow[] = []
  let token = pageToken
  for (let batches = 0; batches < MAX_BATCHES && found.length <= limit; batches += 1) {
    const next = { pageToken: token, limit: size }
    const refs = watermarks
      ? await findUnreadRefs(ctx, reader, watermarks, filter, next)
      : await findMessageRefs(ctx, filter, next)
    found.push(...(await inStatus(ctx, reader, filter, await readRows(ctx, refs), status)))
    const last = refs.at(-1)
    token = last === undefined || refs.length < size ? '' : tokenAfter(last, last.receivedAt)
    if (token === '') break
  }
  if (found.length > limit) return cutPage(found, limit, ({ receivedAt }) => receivedAt)
  return { page: found, nextPageToken: token }
}

/** In their order, without those that were deleted meanwhile. */
async function readRows({ messages }: Context, refs: MessageRef[]): Promise<SummaryRow[]> {
  const rows = await messages.find({ _id: { $in: refs.map(({ _id }) => _id) } }, SUMMARY_FIELDS).lean<SummaryRow[]>()
  const rowOf = new Map(rows.map((row) => [row._id, row]))
  return refs.flatMap(({ _id }) => rowOf.get(_id) ?? [])
}

async function inStatus(
  ctx: Context,
  { workspaceId }: Reader,
  { lovedOneIds: [lovedOneId = ''] }: MessageFilter,
  rows: SummaryRow[],
  status: ConversationStatus | undefined,
): Promise<SummaryRow[]> {
  if (fromWireStatus(status) === undefined) return rows
  const refs = rows.map((row) => Object.assign(row, { workspaceId, lovedOneId }))
  const stateOf = await findStates(ctx, refs)
  return refs.filter((ref) => stateOf(ref)?.status === status)
}

async function readFilter(ctx: Context, reader: Reader, request: ListInboxMessagesRequest): Promise<MessageFilter> {
  const { lovedOneId, query = '', from = '', category, receivedFrom, receivedBefore } = request
  if (query.length > MAX_QUERY) throw invalidArgument('query', `query must be at most ${MAX_QUERY} characters.`)
  if (from.length > MAX_QUERY) throw invalidArgument('from', `from must be at most ${MAX_QUERY} characters.`)
  const clock = { now: new Date(), timeZone: await timeZoneOf(ctx, reader, query) }
  const { words, problems, hasFile, since, before, ...terms } = readSearchTerms(query, clock)
  if (problems.length > 0) throw invalidArgument('query', problems.join(' '))
  const names = [...terms.from, ...(from === '' ? [] : [from])]
  const search = readSearch(words, names)
  if (search === undefined && `${words}${names}` !== '')
    throw invalidArgument(words === '' ? 'from' : 'query', 'There is no word in it to search for.')
  return {
    workspaceId: reader.workspaceId,
    lovedOneIds: [lovedOneId],
    category: fromWireCategory(category),
    withAttachments: request.withAttachments || hasFile,
    receivedFrom: latest(receivedFrom, startOfDay(since, clock)),
    receivedBefore: earliest(receivedBefore, startOfDay(before, clock)),
    search,
  }
}

/** Days in a query are the reader's. */
async function timeZoneOf(
  { notificationSettings }: Context,
  { workspaceId, personId }: Reader,
  query: string,
): Promise<string> {
  if (!/\b(?:after|before):/i.test(query)) return 'UTC'
  const _id = notificationSettingId(workspaceId, personId)
  const setting = await notificationSettings.findOne({ _id }, { timeZone: 1 }).lean()
  return setting?.timeZone ?? 'UTC'
}

function latest(one?: Date, other?: Date): Date | undefined {
  return one && other ? new Date(Math.max(Number(one), Number(other))) : (one ?? other)
}

function earliest(one?: Date, other?: Date): Date | undefined {
  return one && other ? new Date(Math.min(Number(one), Number(other))) : (one ?? other)
}
