import type { FlashName } from '../shell/flash.ts'
import { type Html, html } from '../shell/html.ts'
import { inboxPath, nextPath } from '../shell/inbox-paths.ts'
import { withQuery } from '../shell/parts.ts'
import { type ActName, actButton } from '../shell/status-acts.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'
import { TO_DOS_PATH, toDoPath } from './to-do-words.ts'

/** The pages with rows of to-dos: acts in a row lead back there. */
const PAGES = {
  next: nextPath,
  inbox: inboxPath,
  list: (lovedOne: { id: string } | undefined) => withQuery(TO_DOS_PATH, { for: lovedOne?.id }),
}

export type BackTo = keyof typeof PAGES

/** Where a form of a to-do leads: the page with its row, which then can undo it, or its own page. */
export function pathAfter(visit: Visit, { lovedOnes }: Workspace, id: string): string {
  const back = readBack(visit.field('back'))
  if (back === undefined) return toDoPath({ id })
  const lovedOne = lovedOnes.find((one) => one.id === visit.field('for'))
  const { pathname, searchParams } = new URL(PAGES[back](lovedOne), 'http://site')
  return withQuery(pathname, { ...Object.fromEntries(searchParams), changed: id })
}

function readBack(name: string): BackTo | undefined {
  return Object.hasOwn(PAGES, name) ? (name as BackTo) : undefined
}

/** The forms that take back what was just done in a row. */
export function undoInRow(
  visit: Visit,
  { canWrite }: Workspace,
  { back, lovedOneId }: { back: BackTo; lovedOneId: string },
): Partial<Record<FlashName, Html>> {
  const [id] = /^[\w-]{1,64}$/.exec(visit.query('changed')) ?? []
  return canWrite && id !== undefined
    ? undoForms(
        id,
        html`<input type="hidden" name="back" value="${back}"><input type="hidden" name="for" value="${lovedOneId}">`,
      )
    : {}
}

/** @param fields more of the form, such as where it leads */
export function undoForms(id: string, fields?: Html): Partial<Record<FlashName, Html>> {
  const act = (name: ActName) =>
    html`<form method="post" action="${toDoPath({ id }, 'status')}">${fields}${actButton({ name, label: 'Undo', look: 'quiet' })}</form>`
  return {
    'message-taken': act('give-back'),
    'message-given-back': act('take'),
    'to-do-done': act('open-again'),
    'to-do-removed': html`<form method="post" action="${toDoPath({ id }, 'restore')}">${fields}<button class="quiet">Undo</button></form>`,
  }
}
