import type { InboxEntry } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'
import { type ListQuery, listHref, toBrowseRequest } from './list-query.ts'

/** A list of mail as a page shows it. */
export type MailList = {
  workspace: Workspace
  query: ListQuery
  /** The words searched for, in the clear. */
  words: string
  entries: InboxEntry[]
  /** How much is unread of what the list is about, counted to 100. */
  unread: number
  nextHref?: string
}

/** Reads the list a page's address asks for. A cursor that is none begins at the beginning. */
export async function readMailList(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  query: ListQuery,
): Promise<MailList> {
  const request = toBrowseRequest(query, workspace, visit, ctx.wordSeal)
  try {
    const answer = await ctx.inbox.browseMessages(request, asPerson(workspace.session, visit))
    const counted = answer.unread.filter(({ lovedOneId }) => !query.lovedOne || lovedOneId === query.lovedOne.id)
    return {
      workspace,
      query,
      words: request.search,
      entries: answer.entries,
      unread: counted.reduce((sum, { count }) => sum + count, 0),
      nextHref: answer.nextPageToken === '' ? undefined : listHref({ ...query, cursor: answer.nextPageToken }),
    }
  } catch (error) {
    if (error instanceof StatusError && error.detail.field === 'cursor' && query.cursor !== '')
      return readMailList(ctx, visit, workspace, { ...query, cursor: '' })
    throw error
  }
}
