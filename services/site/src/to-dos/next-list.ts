import type { ToDo } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { withQuery } from '../shell/parts.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import { type RowData, toDoRow } from './to-do-row.ts'
import { TO_DOS_PATH } from './to-do-words.ts'

const MAX_SHOWN = 6

/** All that is open, of one person or of all. */
export async function readOpenToDos(
  ctx: Context,
  visit: Visit,
  { session }: Workspace,
  lovedOne: LovedOne | undefined,
): Promise<ToDo[]> {
  const request = { lovedOneId: lovedOne?.id ?? '', done: false }
  return (await ctx.careCircle.listToDos(request, asPerson(session, visit))).toDos
}

/** The first ones, for the page of what comes next. */
export function nextToDos(toDos: ToDo[], data: RowData): Html {
  const { workspace, lovedOne } = data
  const add =
    workspace.canWrite &&
    html`<p><a href="${withQuery(`${TO_DOS_PATH}/new`, { for: lovedOne?.id })}">Add a to-do</a></p>`
  if (toDos.length === 0)
    return html`<p class="hint">Nothing to do. What your family has to do without a mail appears here.</p>${add}`
  const more = toDos.length - MAX_SHOWN
  return html`<ul class="to-dos">${toDos.slice(0, MAX_SHOWN).map((toDo) => toDoRow(toDo, data))}</ul>
${more > 0 && html`<p><a href="${toDosHref(lovedOne)}">and ${more} more</a></p>`}${add}`
}

export function toDosHref(lovedOne: LovedOne | undefined): string {
  return withQuery(TO_DOS_PATH, { for: lovedOne?.id })
}
