import type { Context } from '../context.ts'
import type { ToDo } from '../models/to-do.ts'

export const MOST_OPEN = 300

export type ToDoFilter = {
  workspaceId: string
  /** Empty for all, those of the whole family included. */
  lovedOneId: string
}

/** All that is not done: first those with a day, by day, then the oldest. */
export async function findOpenToDos(
  { toDos }: Pick<Context, 'toDos'>,
  { workspaceId, lovedOneId }: ToDoFilter,
): Promise<ToDo[]> {
  const open = { workspaceId, doneAt: null, removedAt: null, ...(lovedOneId !== '' && { lovedOneId }) }
  return (await toDos.find(open).limit(MOST_OPEN).lean()).sort(byDay)
}

function byDay(a: ToDo, b: ToDo): number {
  const [one, other] = [a, b].map(({ day = '9999' }) => day)
  if (one !== other) return (one as string) < (other as string) ? -1 : 1
  return a.createdAt.getTime() - b.createdAt.getTime() || (a._id < b._id ? -1 : 1)
}
