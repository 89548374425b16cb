import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { type Page, type Section, sectionPage } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { requireLovedOne, type WorkspaceHandler } from '../shell/workspace.ts'
import { inboxTitle, listPane } from './list-pane.ts'
import { inboxPath, listHref, readListQuery } from './list-query.ts'
import { type MailList, readMailList } from './read-list.ts'

/** Shows the mail of a loved one, or of everyone. */
export function showInbox(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const id = visit.param('lovedOneId')
    const query = readListQuery(visit, id === '' ? undefined : requireLovedOne(workspace, id))
    return { page: inboxPage(await readMailList(ctx, visit, workspace, query), visit.clock) }
  }
}

/** Takes the words somebody searches for, and leads to the list of what they find, at an address that does not tell them. */
export function searchInbox(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const id = visit.field('for')
    const asked = { query: visit.field, clock: visit.clock }
    const query = readListQuery(asked, id === '' ? undefined : requireLovedOne(workspace, id))
    const words = visit.field('words').trim().slice(0, 200)
    const { personId } = workspace.session
    const sealedWords = words === '' ? '' : ctx.wordSeal.seal(words, personId, visit.clock.now)
    return { redirectTo: listHref({ ...query, sealedWords, cursor: '' }) }
  }
}

/** Notes that everything up to the newest message on the page was seen; what came since stays unread. */
export function markAllRead(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const id = visit.field('for')
    const lovedOne = id === '' ? undefined : requireLovedOne(workspace, id)
    const seenUntil = new Date(visit.field('seen'))
    if (!Number.isNaN(seenUntil.getTime()))
      await ctx.inbox.markAllRead({ lovedOneId: lovedOne?.id ?? '', seenUntil }, asPerson(workspace.session, visit))
    return { redirectTo: inboxPath(lovedOne), flash: 'all-read' }
  }
}

/** The mail of a loved one, or of all of them; on a desk a message opens beside it. */
function inboxPage(list: MailList, clock: ReaderClock): Page {
  return sectionPage(inboxSection(list), {
    title: inboxTitle(list),
    isWide: true,
    main: html`<div class="panes">
${listPane({ list, clock, heading: 'h1' })}
<div class="pane beside"><p class="hint">Choose a message, and it opens here.</p></div>
</div>`,
  })
}

/** The room of a list of mail, and of the messages in it. */
export function inboxSection({ workspace, query }: MailList): Section {
  const hrefOf = (id: string) => inboxPath(workspace.lovedOnes.find((one) => one.id === id))
  return { id: 'inbox', workspace, switcher: { current: query.lovedOne?.id ?? '', hrefOf } }
}
