import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { type Page, type Section, sectionPage } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { requireLovedOne, type WorkspaceHandler } from '../shell/workspace.ts'
import type { TimelineEvent } from '../timeline/event.ts'
import { besidePane, readLatest } from './beside-pane.ts'
import { inboxTitle, listPane } from './list-pane.ts'
import { inboxPath, isFiltered, listHref, type MailList, readListQuery, readMailList } from './mail-list.ts'

export function showInbox(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const id = visit.id('lovedOneId')
    const query = readListQuery(visit, id === '' ? undefined : requireLovedOne(workspace, id))
    const [list, latest] = await Promise.all([
      readMailList(ctx, visit, workspace, query),
      isFiltered(query) || query.view !== '' ? [] : readLatest(ctx, visit, workspace, query.lovedOne),
    ])
    return { page: inboxPage(list, latest, visit.clock) }
  }
}

/** Redirects to the search results. Their URL holds the words encrypted. */
export function searchInbox(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const id = visit.field('for')
    const query = readListQuery(
      { query: visit.field, clock: visit.clock },
      id === '' ? undefined : requireLovedOne(workspace, id),
    )
    const words = visit.field('words').trim().slice(0, 200)
    const { personId } = workspace.session
    const sealedWords = words === '' ? '' : ctx.wordSeal.seal(words, personId, visit.clock.now)
    return { redirectTo: listHref({ ...query, sealedWords, cursor: '' }) }
  }
}

/** Marks everything up to the newest message on the page as read. */
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

function inboxPage(list: MailList, latest: TimelineEvent[], clock: ReaderClock): Page {
  return sectionPage(inboxSection(list), {
    title: inboxTitle(list),
    isWide: true,
    main: html`<div class="panes">
${listPane({ list, clock, heading: 'h1' })}
${besidePane(list, latest, clock)}
</div>`,
  })
}

export function inboxSection({ workspace, query }: MailList): Section {
  const hrefOf = (id: string) => inboxPath(workspace.lovedOnes.find((one) => one.id === id))
  return { id: 'inbox', workspace, switcher: { current: query.lovedOne?.id ?? '', hrefOf } }
}
