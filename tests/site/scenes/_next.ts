import { Category, type ConversationState, ConversationStatus } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { World } from '../_world.ts'
import { appointment } from '../world/_appointments.ts'
import { letter } from '../world/_inbox.ts'
import { careEvent, visitEnded, vital } from '../world/_timeline.ts'
import { fails, type Scene } from './_scene.ts'
import { severalToDos } from './_to-dos.ts'

const ROSA = 'lo_rosa'
const LONG = 'A'.repeat(120)

const state = (status: ConversationStatus, assigneeName = ''): ConversationState => ({
  status,
  assigneeId: assigneeName && 'per_luis',
  assigneeName,
  changedBy: assigneeName,
  changedAt: new Date(),
})

const full = (world: World) => {
  severalToDos(world)
  const open = state(ConversationStatus.OPEN)
  world.inbox.messages = [
    letter('msg_question', { from: 'Day center', subject: 'Can she come on Friday?', state: open }),
    letter('msg_bill', { from: 'Multicare', subject: `Bill ${LONG}`, category: Category.INSURANCE, state: open }),
    letter('msg_plan', { from: 'Sunrise', subject: 'Visit plan', state: state(ConversationStatus.TAKEN, 'Luis') }),
    ...Array.from({ length: 6 }, (_, index) =>
      letter(`msg_${index}`, { from: 'Pharmacy', subject: `Prescription ${index}`, state: open }),
    ),
  ]
  world.appointments = [
    appointment('apt_1', 1),
    appointment('apt_2', 26, { changedAt: new Date(), place: LONG }),
    appointment('apt_3', 50, { canceled: true, changedAt: new Date() }),
    appointment('apt_4', 74, { lovedOneId: 'lo_joao', title: '' }),
    appointment('apt_later', 400, { title: 'In two weeks' }),
  ]
  world.careEvents = [
    careEvent(ROSA, 3, visitEnded(45)),
    careEvent(ROSA, 4, vital('blood_pressure', '128', 'mmHg', '82')),
    careEvent('lo_joao', 5, vital('weight', '80.2', 'kg')),
  ]
}

const emergency = (world: World) => {
  full(world)
  world.careEvents.push(careEvent(ROSA, 1, { eventType: 'fall_detected', urgent: true }))
}

const unavailable = (world: World) => {
  for (const method of ['browseMessages', 'listAppointments', 'listToDos', 'listCareEvents'])
    fails(world, method, new StatusError('UNAVAILABLE', 'x'))
}

export const nextScenes: Scene[] = [
  { name: 'next', signedIn: true, path: '/inbox/next', arrange: full },
  { name: 'next-urgent', signedIn: true, path: '/inbox/next', arrange: emergency },
  { name: 'inbox-urgent', signedIn: true, path: '/', arrange: emergency },
  { name: 'next-one', signedIn: true, path: `/inbox/next?for=${ROSA}`, arrange: full },
  { name: 'next-empty', signedIn: true, path: '/inbox/next' },
  { name: 'next-away', signedIn: true, path: '/inbox/next', arrange: unavailable },
  {
    name: 'next-beside',
    signedIn: true,
    path: '/',
    arrange: full,
    act: (page) => page.setViewportSize({ width: 1280, height: 900 }),
  },
]
