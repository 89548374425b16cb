import type { InboxEntry } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'
import { type ListQuery, listHref, toBrowseRequest } from './list-query.ts'

export type MailList = {
  workspace: Workspace
  query: ListQuery
  /** The search words, decrypted. */
  words: string
  entries: InboxEntry[]
  /** Counted up to 100. */
  unread: number
  nextHref?: string
}

/** Reads a list. An invalid cursor starts at the first page. */
export async function readMailList(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  query: ListQuery,
): Promise<MailList> {
  const request = toBrowseRequest(query, workspace, visit, ctx.wordSeal)
  try {
    const page = await ctx.inbox.browseMessages(request, asPerson(workspace.session, visit))
    const counted = page.unread.filter(({ lovedOneId }) => !query.lovedOne || lovedOneId === query.lovedOne.id)
    return {
      workspace,
      query,
      words: request.search,
      entries: page.entries,
      unread: counted.reduce((sum, { count }) => sum + count, 0),
      nextHref: page.nextPageToken === '' ? undefined : listHref({ ...query, cursor: page.nextPageToken }),
    }
  } catch (error) {
    if (error instanceof StatusError && error.detail.field === 'cursor' && query.cursor !== '')
      return readMailList(ctx, visit, workspace, { ...query, cursor: '' })
    throw error
  }
}
