import type { MailDraft } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { inboxPath } from '../shell/inbox-paths.ts'
import { type Page, type Section, sectionPage } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { readerOf, sealWords } from '../shell/sealed-words.ts'
import { asPerson } from '../shell/session.ts'
import { withTimeout } from '../shell/visit.ts'
import { requireLovedOne, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { undoInRow } from '../to-dos/back-to.ts'
import { inboxTitle, listPane } from './list-pane.ts'
import { readMailDrafts } from './mail-draft.ts'
import { isFiltered, type ListQuery, listHref, type MailList, readListQuery, readMailList } from './mail-list.ts'
import { undoMove } from './move-message.ts'
import { nextPage } from './next.ts'
import { isDue, upNextParts } from './next-parts.ts'
import { readUpNext, type UpNext } from './read-next.ts'
import { undoWritten } from './write-message.ts'

/** The inbox does not wait longer for the calendar and the timeline. */
const TIMEOUT_MS = 400

export function showInbox(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const id = visit.id('lovedOneId')
    const query = readListQuery(visit, id === '' ? undefined : requireLovedOne(workspace, id))
    const hurried = withTimeout(visit, TIMEOUT_MS)
    const [list, next, drafts] = await Promise.all([
      readMailList(ctx, visit, workspace, query),
      showsUpNext(query, workspace) ? readUpNext(ctx, hurried, workspace, query.lovedOne) : undefined,
      showsDrafts(query) ? readMailDrafts(ctx, hurried, workspace).catch(() => []) : [],
    ])
    const { clock } = visit
    if (visit.isOpenedOnPhone && next && isDue(next, list, clock))
      return { page: nextPage({ ...next, workspace, lovedOne: query.lovedOne, mail: list, clock }, query) }
    const undoToDo = undoInRow(visit, workspace, { back: 'inbox', lovedOneId: query.lovedOne?.id ?? '' })
    const undo = { ...undoMove(visit, workspace), ...undoWritten(visit, workspace), ...undoToDo }
    return { page: { ...inboxPage({ list, next, drafts, clock }), undo } }
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
    const sealedWords = words === '' ? '' : sealWords(words, readerOf(ctx, visit, workspace))
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

/** On the first page of all mail, where nothing else was asked for. */
function showsUpNext(query: ListQuery, { lovedOnes }: Workspace): boolean {
  return !isFiltered(query) && query.view === '' && query.cursor === '' && lovedOnes.length > 0
}

/** On the first page of mail, where nothing was searched. */
function showsDrafts(query: ListQuery): boolean {
  return !isFiltered(query) && query.cursor === ''
}

type InboxData = { list: MailList; next: UpNext | undefined; drafts: MailDraft[]; clock: ReaderClock }

function inboxPage({ list, next, drafts, clock }: InboxData): Page {
  return sectionPage(inboxSection(list), {
    title: inboxTitle(list),
    isWide: true,
    main: html`<div class="panes">
${listPane({ list, clock, heading: 'h1', drafts })}
${upNextPane(list, next, clock)}
</div>`,
  })
}

function upNextPane(list: MailList, next: UpNext | undefined, clock: ReaderClock): Html {
  const hint = html`<p class="hint">Select a message to read it here.</p>`
  if (next === undefined) return html`<div class="pane beside">${hint}</div>`
  const { workspace, query } = list
  return html`<section class="pane beside next" aria-label="What comes next">
${upNextParts({ ...next, workspace, lovedOne: query.lovedOne, mail: list, clock, back: 'inbox' })}
${list.entries.length > 0 && hint}
</section>`
}

export function inboxSection({ workspace, query }: MailList): Section {
  const hrefOf = (id: string) => inboxPath(workspace.lovedOnes.find((lovedOne) => lovedOne.id === id))
  return { id: 'inbox', workspace, switcher: { current: query.lovedOne?.id ?? '', hrefOf } }
}
