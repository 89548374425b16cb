import { type CareCircleServiceService, type ToDo, ToDoStatus } from '@family-inbox/proto/carecircle/v1/care_circle'
import { requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Handlers } from '@family-inbox/service-kit/rpc/serve'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { World } from '../_world.ts'

const DAY_MS = 86_400_000

/** A to-do for a day from now; undefined for no day. */
export function toDo(id: string, days: number | undefined, words: Partial<ToDo> = {}): ToDo {
  return {
    id,
    lovedOneId: 'lo_rosa',
    text: 'Pick up the prescription',
    day: days === undefined ? '' : new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10),
    status: ToDoStatus.OPEN,
    assigneeId: '',
    changedBy: '',
    changedAt: undefined,
    messageId: '',
    messageLovedOneId: '',
    addedBy: 'per_ana',
    createdAt: new Date(),
    removedAt: undefined,
    version: 1,
    ...words,
  }
}

export function toDoHandlers(world: World): Partial<Handlers<typeof CareCircleServiceService>> {
  return {
    async listToDos({ done }, call) {
      requirePrincipal(call)
      return { toDos: world.toDos.filter(({ status }) => (status === ToDoStatus.DONE) === done) }
    },
    async getToDo({ toDoId }, call) {
      requirePrincipal(call)
      const found = world.toDos.find(({ id }) => id === toDoId)
      if (found === undefined) throw new StatusError('NOT_FOUND', 'There is no such to-do.')
      return { toDo: found }
    },
  }
}
