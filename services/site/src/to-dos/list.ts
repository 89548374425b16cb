import type { ToDo } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { nextPath } from '../shell/inbox-paths.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { emptyState, withQuery } from '../shell/parts.ts'
import { asPerson } from '../shell/session.ts'
import { requireLovedOne, type WorkspaceHandler } from '../shell/workspace.ts'
import { undoInRow } from './back-to.ts'
import { type RowData, toDoRow } from './to-do-row.ts'
import { TO_DOS_PATH } from './to-do-words.ts'

/** All that is open, and the latest that is done. */
export function showToDos(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const id = visit.query('for')
    const lovedOne = id === '' ? undefined : requireLovedOne(workspace, id)
    const list = (done: boolean) =>
      ctx.careCircle.listToDos({ lovedOneId: lovedOne?.id ?? '', done }, asPerson(workspace.session, visit))
    const [{ toDos: open }, { toDos: done }] = await Promise.all([list(false), list(true)])
    const page = listPage(open, done, { workspace, lovedOne, clock: visit.clock, back: 'list' })
    return { page: { ...page, undo: undoInRow(visit, workspace, { back: 'list', lovedOneId: lovedOne?.id ?? '' }) } }
  }
}

function listPage(open: ToDo[], done: ToDo[], data: RowData): Page {
  const { workspace, lovedOne } = data
  const title = lovedOne ? `To do for ${lovedOne.name}` : 'To do'
  const hrefOf = (id: string) => withQuery(TO_DOS_PATH, { for: id })
  const addHref = withQuery(`${TO_DOS_PATH}/new`, { for: lovedOne?.id })
  return sectionPage(
    { id: 'inbox', workspace, switcher: { current: lovedOne?.id ?? '', hrefOf } },
    {
      title,
      main: html`<p class="up"><a href="${nextPath(lovedOne)}">What comes next</a></p>
<div class="page-heading"><h1><bdi>${title}</bdi></h1>
${workspace.canWrite && html`<a class="button" href="${addHref}">Add a to-do</a>`}</div>
${
  open.length > 0
    ? html`<ul class="to-dos">${open.map((toDo) => toDoRow(toDo, data))}</ul>`
    : emptyState({
        title: 'Nothing to do',
        text: 'What your family has to do appears here, such as a prescription to pick up. It needs no mail.',
      })
}
${done.length > 0 && html`<details class="linked"><summary>Done</summary><ul class="to-dos">${done.map((toDo) => toDoRow(toDo, data))}</ul></details>`}`,
    },
  )
}
