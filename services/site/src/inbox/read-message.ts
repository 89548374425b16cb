import type { OpenMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { sectionPage } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { type LovedOne, undefinedIfMissing, type Workspace } from '../shell/workspace.ts'
import { askFor, isCursorInvalid, type ListQuery, type MailList } from './mail-list.ts'

export type OpenMessage = {
  lovedOne: LovedOne
  message: OpenMessageResponse & { message: NonNullable<OpenMessageResponse['message']> }
  readBy: { name: string; at: Date | undefined }[]
  /** Names of other members who are writing a reply. */
  writers: string[]
}

/**
 * Reads a message, marks it as read, and reads the list beside it, which shows it as read. Undefined for an unknown message and
 * for another workspace's; for one that was moved, whose inbox it is in.
 */
export async function readMessage(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  query: ListQuery,
): Promise<{ open: OpenMessage; list: MailList } | { movedTo: string } | undefined> {
  const lovedOne = workspace.lovedOnes.find(({ id }) => id === visit.id('lovedOneId'))
  if (lovedOne === undefined) return undefined
  const { request: list, toList } = askFor(ctx, visit, workspace, query)
  const request = { lovedOneId: lovedOne.id, messageId: visit.id('messageId'), markRead: true, list }
  try {
    const person = asPerson(workspace.session, visit)
    const opened = await ctx.inbox.openMessage(request, person).catch(undefinedIfMissing)
    if (opened?.movedTo !== undefined) return { movedTo: opened.movedTo }
    if (opened?.message === undefined) return undefined
    return {
      open: toOpenMessage({ ...opened, message: opened.message }, lovedOne, workspace),
      // During an upgrade, an older inbox does not add the list.
      list: toList(opened.list ?? (list && (await ctx.inbox.browseMessages(list, person)))),
    }
  } catch (error) {
    if (isCursorInvalid(error, query)) return readMessage(ctx, visit, workspace, { ...query, cursor: '' })
    throw error
  }
}

function toOpenMessage(message: OpenMessage['message'], lovedOne: LovedOne, { nameOf }: Workspace): OpenMessage {
  return {
    lovedOne,
    message,
    readBy: message.readBy.map(({ personId, readAt }) => ({
      name: nameOf.get(personId) ?? 'Former member',
      at: readAt,
    })),
    writers: message.writerIds.map((id) => nameOf.get(id) ?? 'Someone'),
  }
}

/** The same for an unknown message and for another workspace's. */
export function messageMissing(workspace: Workspace): Reply {
  const title = 'Message not found'
  const main = html`<h1>${title}</h1>
<p>The address may be wrong, the message may be in another inbox of yours, or someone in your family moved it to <a href="/junk">Junk</a>${workspace.canWrite && html` or <a href="/deleted">Deleted</a>`}.</p>
<p><a class="button" href="/">Go to inbox</a></p>`
  return { page: sectionPage({ id: 'inbox', workspace }, { title, main }), status: 404 }
}
