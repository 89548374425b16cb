import { AsidePlace } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import type { FlashName } from '../shell/flash.ts'
import { type Html, html } from '../shell/html.ts'
import { messageIdsOf } from '../shell/inbox-paths.ts'
import { withQuery } from '../shell/parts.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import { undefinedIfMissing, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { listHref, readMessageQuery } from './mail-list.ts'
import { messageMissing } from './read-message.ts'

type Move = { place: AsidePlace; onlyThis: boolean; flash: FlashName }

const MOVES: Readonly<Record<string, Move>> = {
  junk: { place: AsidePlace.JUNK, onlyThis: false, flash: 'message-junked' },
  deleted: { place: AsidePlace.DELETED, onlyThis: false, flash: 'message-deleted' },
  'deleted-alone': { place: AsidePlace.DELETED, onlyThis: true, flash: 'message-deleted' },
}

/** Moves a message's conversation to Junk or Deleted. The list that follows offers to undo it. */
export function moveMessage(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const name = visit.field('to')
    const { flash, ...move } = (Object.hasOwn(MOVES, name) && MOVES[name]) || UNKNOWN
    const ids = messageIdsOf(visit)
    const request = { ...ids, ...move, now: false }
    const moved = await ctx.inbox.setMessageAside(request, asPerson(workspace.session, visit)).catch(undefinedIfMissing)
    if (moved === undefined) return messageMissing(workspace)
    const list = listHref(readMessageQuery(visit, workspace))
    const { pathname, searchParams } = new URL(list, 'http://site')
    const query = Object.fromEntries(searchParams)
    return { redirectTo: withQuery(pathname, { ...query, moved: `${ids.lovedOneId}/${ids.messageId}` }), flash }
  }
}

const UNKNOWN: Move = { place: AsidePlace.UNSPECIFIED, onlyThis: false, flash: 'message-deleted' }

/** What the menu of a message offers. */
export function moveActs(pathTo: (form: string) => string, isAlone: boolean): Html {
  const button = (to: keyof typeof MOVES, label: string) =>
    html`<button class="quiet" name="to" value="${to}">${label}</button>`
  return html`<form method="post" action="${pathTo('move')}">${button('junk', 'Move to Junk')}${button('deleted', isAlone ? 'Delete' : 'Delete conversation')}${!isAlone && button('deleted-alone', 'Delete this message only')}</form>
<p><a href="${pathTo('block')}">Block sender</a></p>
<p><a href="${pathTo('not-ours')}">Not meant for us</a></p>`
}

/** On the list after a move. */
export function undoMove(visit: Visit, { canWrite }: Workspace): Partial<Record<FlashName, Html>> {
  const [, lovedOneId, messageId] = MOVED.exec(visit.query('moved')) ?? []
  if (!canWrite || lovedOneId === undefined || messageId === undefined) return {}
  const undo = (from: string) =>
    html`<form method="post" action="/${from}/${lovedOneId}/${messageId}/restore"><button class="quiet">Undo</button></form>`
  return { 'message-junked': undo('junk'), 'message-deleted': undo('deleted') }
}

const MOVED = /^([\w-]{1,64})\/([\w-]{1,64})$/
