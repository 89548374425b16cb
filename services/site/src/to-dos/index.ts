import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { inWorkspace } from '../shell/workspace.ts'
import { addToDo, changeToDo, showAddToDo, showChangeToDo } from './edit.ts'
import { showToDos } from './list.ts'
import { changeToDoStatus, removeToDo, restoreToDo, showToDo } from './to-do.ts'
import { TO_DOS_PATH, toDoPath } from './to-do-words.ts'

export function toDoRoutes(ctx: Context): Route[] {
  const one = `${TO_DOS_PATH}/:id`
  /** Signing in, or a reload, can lead to the address of a form. */
  const toPage = inWorkspace(ctx, async (visit) => ({ redirectTo: toDoPath({ id: visit.id('id') }) }))
  return [
    { path: TO_DOS_PATH, get: inWorkspace(ctx, showToDos(ctx)) },
    { path: `${TO_DOS_PATH}/new`, get: inWorkspace(ctx, showAddToDo(ctx)), post: inWorkspace(ctx, addToDo(ctx)) },
    { path: one, get: inWorkspace(ctx, showToDo(ctx)) },
    { path: `${one}/change`, get: inWorkspace(ctx, showChangeToDo(ctx)), post: inWorkspace(ctx, changeToDo(ctx)) },
    { path: `${one}/status`, get: toPage, post: inWorkspace(ctx, changeToDoStatus(ctx)) },
    { path: `${one}/remove`, get: toPage, post: inWorkspace(ctx, removeToDo(ctx)) },
    { path: `${one}/restore`, get: toPage, post: inWorkspace(ctx, restoreToDo(ctx)) },
  ]
}
