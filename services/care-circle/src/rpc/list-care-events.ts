import type {
  CareEventPage,
  ListCareEventsRequest,
  ListCareEventsResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { SharedLink } from '@family-inbox/proto/pipe/v1/pipe'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { cutPage, olderThan, readPageSize } from '@family-inbox/service-kit/rpc/page'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { BY_TIME, BY_TYPE } from '../models/care-event.ts'
import { requireMember } from '../require-member.ts'
import { findSharedLinks } from '../timeline/find-shared-links.ts'
import { toWireEvent } from '../timeline/to-wire.ts'

const MAX_TYPES = 20
const MAX_CURSORS = 200
const ORDER = ['occurredAt', 'receivedAt'] as const

/** @throws StatusError UNAVAILABLE while sharing is unknown, rather than a wrong list */
export function listCareEvents(ctx: Context): Handler<ListCareEventsRequest, ListCareEventsResponse> {
  return async (request, call) => {
    const { several, lovedOneId, pageToken, eventTypes } = request
    const cursors = several?.cursors ?? [{ lovedOneId, pageToken }]
    if (cursors.length > MAX_CURSORS) throw invalidArgument('several', `several must name at most ${MAX_CURSORS}.`)
    const { workspaceId } = requirePrincipal(call)
    const lovedOneIds = cursors.map((cursor) => cursor.lovedOneId)
    const sharing = findSharedLinks(ctx, workspaceId, lovedOneIds, call.deadline)
    // Awaited later: a non-member must be refused even while the pipe is down.
    sharing.catch(() => {})
    const rules = [{}, ...cursors.map(({ lovedOneId }) => ({ lovedOneId }))]
    await Promise.all(rules.map((rule) => requireMember(ctx, call, rule)))
    const filters = readFilters(request, cursors)
    const limit = readPageSize(request.pageSize, { byDefault: 20, max: 50 })
    const links = await sharing
    const wanted = { workspaceId, ...(eventTypes.length > 0 && { eventType: { $in: eventTypes } }) }
    const pages = await Promise.all(filters.map((filter) => readPage(ctx, { ...wanted, ...filter }, limit, links)))
    const [only = { events: [], nextPageToken: '' }] = pages
    const pipeAvailable = links.length > 0
    if (several === undefined) return { ...only, pipeAvailable }
    return { events: [], nextPageToken: '', pipeAvailable, several: { pages } }
  }
}

async function readPage(
  { careEvents }: Context,
  wanted: { lovedOneId: string; eventType?: object },
  limit: number,
  links: SharedLink[],
): Promise<CareEventPage> {
  const own = links.filter(({ lovedOneId }) => lovedOneId === wanted.lovedOneId)
  if (own.length === 0) return { events: [], nextPageToken: '' }
  const rows = await careEvents
    .find({ linkId: { $in: own.map(({ linkId }) => linkId) }, ...wanted })
    .sort({ occurredAt: -1, receivedAt: -1, _id: -1 })
    // Without a hint MongoDB may reuse the plan of a frequent type for a rare one.
    .hint(wanted.eventType ? BY_TYPE : BY_TIME)
    .limit(limit + 1)
    .lean()
  const { page, nextPageToken } = cutPage(rows, limit, (row) => ORDER.map((field) => row[field]))
  return { events: page.map((row) => toWireEvent(row, own)), nextPageToken }
}

function readFilters({ since, until, eventTypes }: ListCareEventsRequest, cursors: Cursor[]) {
  if (eventTypes.length > MAX_TYPES) throw invalidArgument('types', `types must name at most ${MAX_TYPES} types.`)
  if (since && until && since >= until) throw invalidArgument('until', 'until must be later than since.')
  const bounds = { ...(since && { $gte: since }), ...(until && { $lt: until }) }
  return cursors.map(({ lovedOneId, pageToken }) => ({
    lovedOneId,
    $and: [since || until ? { occurredAt: bounds } : {}, olderThan(ORDER, pageToken)],
  }))
}

type Cursor = { lovedOneId: string; pageToken: string }
