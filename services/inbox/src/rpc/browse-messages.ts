import type { BrowseMessagesRequest, BrowseMessagesResponse, InboxEntry } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { cutPage, readPageSize } from '@family-inbox/service-kit/rpc/page'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { Message } from '../models/message.ts'
import type { Reader } from '../models/read-watermark.ts'
import { findWatermarks } from '../reading/read-state.ts'
import { countUnread, findUnread, findUnreadRefs } from '../reading/unread.ts'
import { findMessageRefs, type MessageFilter, readSearch } from '../search/find-messages.ts'
import { fromWireCategory, SUMMARY_FIELDS, type SummaryRow, toSummary } from '../to-wire.ts'

const MAX_SEARCH = 200

type Row = SummaryRow & Pick<Message, 'lovedOneId' | 'forwardingConfirmation'>

export function browseMessages(ctx: Context): Handler<BrowseMessagesRequest, BrowseMessagesResponse> {
  return async (request, call) => {
    const { lovedOneId } = request
    const { personId, workspaceId } = await ctx.requireMember(call, lovedOneId === '' ? {} : { lovedOneId })
    return browse(ctx, { personId, workspaceId }, request)
  }
}

async function browse(ctx: Context, reader: Reader, request: BrowseMessagesRequest): Promise<BrowseMessagesResponse> {
  const { workspaceId } = reader
  const limit = readPageSize(request.pageSize, { byDefault: 50, max: 100 })
  const everyone = await ctx.inboxAddresses.distinct('lovedOneId', { workspaceId })
  const watermarks = await findWatermarks(ctx, reader, everyone)
  const filter = toWanted(request, workspaceId, everyone)
  const page = { pageToken: request.pageToken, limit: limit + 1 }
  const [refs, unread] = await Promise.all([
    request.unread ? findUnreadRefs(ctx, reader, watermarks, filter, page) : findMessageRefs(ctx, filter, page),
    countEach(ctx, reader, watermarks),
  ])
  const shown = cutPage(refs, limit, ({ receivedAt }) => receivedAt)
  const entries = await readEntries(
    ctx,
    reader,
    watermarks,
    shown.page.map(({ _id }) => _id),
  )
  return { entries, nextPageToken: shown.nextPageToken, unread }
}

function toWanted(request: BrowseMessagesRequest, workspaceId: string, everyone: string[]): MessageFilter {
  const { lovedOneId, category, withAttachments, receivedFrom, receivedBefore, search } = request
  if (search.length > MAX_SEARCH) throw invalidArgument('search', `search must be at most ${MAX_SEARCH} characters.`)
  return {
    workspaceId,
    lovedOneIds: lovedOneId === '' ? everyone : [lovedOneId],
    category: fromWireCategory(category),
    withAttachments,
    receivedFrom,
    receivedBefore,
    search: readSearch(search),
  }
}

async function countEach(ctx: Context, reader: Reader, watermarks: ReadonlyMap<string, Date>) {
  return Promise.all(
    Array.from(watermarks, async ([lovedOneId, watermark]) => ({
      lovedOneId,
      count: await countUnread(ctx, reader, lovedOneId, watermark),
    })),
  )
}

async function readEntries(
  ctx: Context,
  reader: Reader,
  watermarks: ReadonlyMap<string, Date>,
  ids: string[],
): Promise<InboxEntry[]> {
  const fields = { ...SUMMARY_FIELDS, lovedOneId: 1, forwardingConfirmation: 1 }
  const [rows, replied] = await Promise.all([
    ctx.messages.find({ _id: { $in: ids } }, fields).lean<Row[]>(),
    ctx.replies.distinct('messageRowId', { messageRowId: { $in: ids } }),
  ])
  const unread = await findUnread(ctx, reader, watermarks, rows)
  const rowOf = new Map(rows.map((row) => [row._id, row]))
  return ids.flatMap((id) => {
    const row = rowOf.get(id)
    if (row === undefined) return []
    return {
      message: toSummary(row),
      lovedOneId: row.lovedOneId,
      unread: unread.has(id),
      replied: replied.includes(id),
      forwardingConfirmation: row.forwardingConfirmation !== undefined,
    }
  })
}
