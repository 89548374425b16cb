import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { ListMessagesAsideRequest, ListMessagesAsideResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { cutPage, olderThan, readPageSize } from '@family-inbox/service-kit/rpc/page'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { searchAside } from '../deleting/search-aside.ts'
import { ASIDE_FIELDS, type AsideRow, requirePlace, toWireAside } from '../deleting/to-wire-aside.ts'
import { VISIBLE } from '../models/message-aside.ts'

const MAX_SEARCH = 200

/** What is in Junk, or, for owner and coordinators, in Deleted; all of it, or what a search finds. */
export function listMessagesAside(ctx: Context): Handler<ListMessagesAsideRequest, ListMessagesAsideResponse> {
  return async ({ place: wire, pageSize, pageToken, search }, call) => {
    const { workspaceId, role } = await ctx.requireMember(call)
    requirePerson(call)
    const place = requirePlace(wire)
    if (place === 'deleted' && role === Role.VIEWER)
      throw new StatusError('PERMISSION_DENIED', 'Only the owner and coordinators see what was deleted.')
    const limit = readPageSize(pageSize, { byDefault: 50, max: 100 })
    if (search.length > MAX_SEARCH) throw invalidArgument('search', `search can have up to ${MAX_SEARCH} characters.`)
    if (search !== '') {
      const found = await searchAside(ctx, { workspaceId, place, text: search, pageToken, limit })
      return { messages: found.page.map(toWireAside), nextPageToken: found.nextPageToken }
    }
    const inPlace = { workspaceId, place, headId: null, ...VISIBLE }
    const rows = await ctx.messagesAside
      .find({ $and: [inPlace, olderThan('movedAt', pageToken)] }, ASIDE_FIELDS)
      .sort({ movedAt: -1, _id: -1 })
      .limit(limit + 1)
      .lean<AsideRow[]>()
    const { page, nextPageToken } = cutPage(rows, limit, ({ movedAt }) => movedAt)
    return { messages: page.map(toWireAside), nextPageToken }
  }
}
