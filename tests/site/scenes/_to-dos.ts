import { Role, ToDoStatus } from '@family-inbox/proto/carecircle/v1/care_circle'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { World } from '../_world.ts'
import { member } from '../world/_care-circle.ts'
import { toDo } from '../world/_to-dos.ts'
import { fails, type Scene, submit } from './_scene.ts'

const LONG = `Ask the pharmacy ${'x'.repeat(80)} and ${'y'.repeat(80)}`

export const severalToDos = (world: World) => {
  const changedAt = new Date(Date.now() - 7_200_000)
  world.lovedOnes.push({ id: 'lo_joao', name: 'João da Silva Pereira' })
  world.members = [member('Luis Martin', Role.COORDINATOR), member('Eva Gomes', Role.VIEWER)]
  const byLuis = { assigneeId: 'per_luis', changedBy: 'per_luis', changedAt, status: ToDoStatus.TAKEN }
  const done = { status: ToDoStatus.DONE, changedBy: 'per_luis', changedAt }
  world.toDos = [
    toDo('todo_1', -2),
    toDo('todo_2', 0, { ...byLuis, text: 'Bring the insurance card to the clinic', lovedOneId: 'lo_joao' }),
    toDo('todo_3', 5, { text: LONG, messageId: 'msg_1', messageLovedOneId: 'lo_rosa' }),
    toDo('todo_4', undefined, { ...byLuis, assigneeId: 'per_ana', text: 'Order new glasses', lovedOneId: '' }),
    toDo('todo_5', 1, { ...done, text: 'Call the day center' }),
    toDo('todo_6', undefined, { ...done, text: 'Wash the curtains', lovedOneId: '' }),
  ]
}

const asViewer = (world: World) => {
  severalToDos(world)
  for (const workspace of world.workspaces) workspace.role = Role.VIEWER
}

const removed = (world: World) => {
  severalToDos(world)
  world.toDos = [toDo('todo_1', 3, { removedAt: new Date() })]
}

const tooLate = (world: World) => {
  severalToDos(world)
  fails(
    world,
    'changeToDo',
    new StatusError('FAILED_PRECONDITION', 'Somebody else has just changed this to-do. Look at it again.'),
  )
}

export const toDoScenes: Scene[] = [
  {
    name: 'to-dos',
    signedIn: true,
    path: '/to-dos',
    arrange: severalToDos,
    act: (page) => page.getByText('Done', { exact: true }).last().click(),
  },
  { name: 'to-dos-empty', signedIn: true, path: '/to-dos' },
  { name: 'to-dos-viewer', signedIn: true, path: '/to-dos', arrange: asViewer },
  { name: 'to-do', signedIn: true, path: '/to-dos/todo_3', arrange: severalToDos },
  {
    name: 'to-do-taken',
    signedIn: true,
    path: '/to-dos/todo_2',
    arrange: severalToDos,
    act: async (page) => {
      await page.getByText('More actions').click()
      await page.getByText('Give to …').click()
    },
  },
  { name: 'to-do-done', signedIn: true, path: '/to-dos/todo_5', arrange: severalToDos },
  { name: 'to-do-removed', signedIn: true, path: '/to-dos/todo_1', arrange: removed },
  { name: 'to-do-new', signedIn: true, path: '/to-dos/new?for=lo_rosa&message=msg_1', arrange: severalToDos },
  {
    name: 'to-do-new-refused',
    signedIn: true,
    path: '/to-dos/new',
    arrange: (world) => {
      severalToDos(world)
      fails(world, 'addToDo', invalidArgument('text', 'x'))
    },
    act: (page) => submit(page, 'Add a to-do'),
  },
  {
    name: 'to-do-change-too-late',
    signedIn: true,
    path: '/to-dos/todo_1/change',
    arrange: tooLate,
    act: (page) => submit(page, 'Change to-do'),
  },
]
