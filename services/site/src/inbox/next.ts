import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { nextPath } from '../shell/inbox-paths.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { withTimeout } from '../shell/visit.ts'
import { requireLovedOne, type WorkspaceHandler } from '../shell/workspace.ts'
import { undoInRow } from '../to-dos/back-to.ts'
import { type ListQuery, readListQuery, readMailList, tabHref } from './mail-list.ts'
import { type UpNextData, upNextParts } from './next-parts.ts'
import { readUpNext } from './read-next.ts'
import { viewTabs } from './view-tabs.ts'

/** Shorter than the time of a page, so that one slow service takes away one part. */
const TIMEOUT_MS = 1200

/** Shows the same as the pane beside the list, as a page for phones. */
export function showNext(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const id = visit.query('for')
    const lovedOne = id === '' ? undefined : requireLovedOne(workspace, id)
    const all = readListQuery({ query: () => '', clock: visit.clock }, lovedOne)
    const hurried = withTimeout(visit, TIMEOUT_MS)
    const [mail, next] = await Promise.all([
      readMailList(ctx, hurried, workspace, { ...all, view: 'open' }).catch(() => undefined),
      readUpNext(ctx, hurried, workspace, lovedOne),
    ])
    const page = nextPage({ ...next, workspace, lovedOne, mail, clock: visit.clock }, all)
    return { page: { ...page, undo: undoInRow(visit, workspace, { back: 'next', lovedOneId: lovedOne?.id ?? '' }) } }
  }
}

/** @param all the list of all mail */
export function nextPage(data: Omit<UpNextData, 'back'>, all: ListQuery): Page {
  const { workspace, lovedOne } = data
  const about = lovedOne ?? (workspace.lovedOnes.length === 1 ? workspace.lovedOnes[0] : undefined)
  const title = about ? `What comes next for ${about.name}` : 'What comes next'
  const hrefOf = (id: string) => nextPath(workspace.lovedOnes.find((one) => one.id === id))
  return sectionPage(
    { id: 'inbox', workspace, switcher: { current: lovedOne?.id ?? '', hrefOf } },
    {
      title,
      main: html`<h1><bdi>${title}</bdi></h1>
${viewTabs('next', data.mail?.counts, (tab) => tabHref(all, tab))}
<div class="next">${upNextParts({ ...data, back: 'next' })}</div>`,
    },
  )
}
