import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { MOST_OPEN } from './find-to-dos.ts'

/** Done and removed ones count until they are deleted. */
const MOST_IN_ALL = 5000

/** Before a to-do is added, opened again or put back. @throws StatusError FAILED_PRECONDITION */
export async function requireSpace({ toDos }: Context, workspaceId: string): Promise<void> {
  const open = { workspaceId, doneAt: null, removedAt: null }
  if ((await toDos.countDocuments(open, { limit: MOST_OPEN })) >= MOST_OPEN)
    throw new StatusError('FAILED_PRECONDITION', `Your family has ${MOST_OPEN} open to-dos. Finish one first.`)
  if ((await toDos.countDocuments({ workspaceId }, { limit: MOST_IN_ALL })) >= MOST_IN_ALL)
    throw new StatusError('FAILED_PRECONDITION', `Your family has added ${MOST_IN_ALL} to-dos in a year. No more fit.`)
}
