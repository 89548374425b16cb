import type { ListInboxMessagesRequest, ListInboxMessagesResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { readAll } from '@family-inbox/service-kit/mongo/read-all'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { cutPage, olderThan, readPageSize } from '@family-inbox/service-kit/rpc/page'
import type { Context } from '../context.ts'
import { findStates } from '../finding/find-statuses.ts'
import { isFiltered, searchMessages } from '../finding/search-messages.ts'
import { toSummary } from '../finding/to-summary.ts'
import { SUMMARY_FIELDS, type SummaryRow } from '../models/message-summary.ts'
import type { Reader } from '../models/read-watermark.ts'
import { guardReading } from '../replying/guard.ts'
import { withMemberships } from '../replying/reply-recipient.ts'

/** Lists a loved one's messages, newest first, without bodies (SPEC "Inbox message", "Limits"). */
export function listInboxMessages(ctx: Context): Handler<ListInboxMessagesRequest, ListInboxMessagesResponse> {
  return async (request, call) => {
    const { lovedOneId } = request
    const { workspaceId, personId } = requirePrincipal(call)
    const [member, { rows, page }] = await Promise.all([
      ctx.requireMember(call, { lovedOneId }),
      readPage(ctx, { workspaceId, personId }, request),
    ])
    await guardReading(ctx, call, member, rows)
    return page
  }
}

/** Discarded if the membership check fails. */
async function readPage(ctx: Context, reader: Reader, request: ListInboxMessagesRequest) {
  const { workspaceId } = reader
  const { lovedOneId, pageToken } = request
  const limit = readPageSize(request.pageSize, { byDefault: 20, max: 50 })
  const { page, nextPageToken, matches } = isFiltered(request)
    ? await searchMessages(ctx, reader, request, { pageToken, limit })
    : { ...(await readNewest(ctx, workspaceId, request, limit)), matches: [] }
  const known = await withMemberships(ctx, workspaceId, page)
  const rows = known.map((row) => Object.assign(row, { workspaceId, lovedOneId }))
  const stateOf = await findStates(ctx, rows)
  const messages = rows.map((row) => toSummary(row, ctx.config, stateOf(row)))
  return { rows, page: { messages, nextPageToken, matches } }
}

async function readNewest(
  ctx: Context,
  workspaceId: string,
  { lovedOneId, pageToken }: ListInboxMessagesRequest,
  limit: number,
) {
  const filter = { workspaceId, lovedOneId, ...olderThan('receivedAt', pageToken) }
  const found = await readAll<SummaryRow>(ctx.messages.collection, {
    filter,
    projection: SUMMARY_FIELDS,
    sort: { receivedAt: -1, _id: -1 },
    limit: limit + 1,
  })
  return cutPage(await ctx.workspaceKeys.open(found), limit, (row) => row.receivedAt)
}
