import { AppointmentSource, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import {
  type CalendarAnswer,
  type CalendarRequest,
  DeliveryState,
  InvitationState,
} from '@family-inbox/proto/inbox/v1/inbox'
import type { World } from '../_world.ts'
import { appointment } from '../world/_appointments.ts'
import { INVITATION_PATH, invited } from './_inbox.ts'
import { type Scene, submit } from './_scene.ts'

const full = (world: World) => {
  const before = new Date(Date.now() - 7_200_000)
  world.lovedOnes.push({ id: 'lo_joao', name: 'João da Silva Pereira' })
  world.appointments = [
    appointment('apt_1', 1, { going: ['per_ana'] }),
    appointment('apt_2', 26, { changedAt: before, earlierStart: { at: before, local: '' } }),
    appointment('apt_3', 50, { canceled: true, changedAt: before }),
    appointment('apt_4', 74, {
      source: AppointmentSource.UNSPECIFIED,
      title: '',
      place: 'https://zoom.us/j/123456789',
    }),
    appointment('apt_5', 400, {
      source: AppointmentSource.MEMBER,
      addedBy: 'per_ana',
      lovedOneId: 'lo_joao',
      senderName: '',
    }),
  ]
  world.calendarFeeds = [
    { id: 'feed_1', lovedOneId: '', withDetails: true, createdAt: before, readAt: new Date() },
    { id: 'feed_2', lovedOneId: 'lo_joao', withDetails: false, createdAt: before, readAt: undefined },
  ]
}

const asViewer = (world: World) => {
  full(world)
  for (const workspace of world.workspaces) workspace.role = Role.VIEWER
}

const ANSWER = `${INVITATION_PATH}/answer?request=request&coming=yes`

const asked =
  (words: Partial<CalendarRequest> = {}) =>
  (world: World): void => {
    invited(InvitationState.UNSPECIFIED)(world)
    const event = { uidHash: 'a', occurrence: '' }
    const request: CalendarRequest = {
      id: 'request',
      uid: '1',
      ...event,
      title: 'Cardiology, Dr. Carvalho',
      start: { at: new Date('2027-08-14T09:20:00Z'), local: '' },
      organizer: 'front-desk@hospital-with-a-long-name.example',
      organizerName: 'Front desk',
      verified: false,
      attendees: ['rosa@example.org', 'luis@example.org'],
      attendee: 'rosa@example.org',
      turn: 1,
      subject: 'Re: Your appointment',
      comingText:
        'We are coming to “Cardiology, Dr. Carvalho” on Saturday, August 14, 2027 at 10:20 AM Western European Time.',
      notComingText:
        'We cannot come to “Cardiology, Dr. Carvalho” on Saturday, August 14, 2027 at 10:20 AM Western European Time.',
      footer: 'For Rosa Martin, born 4 May 1941',
      ...words,
    }
    const answer: CalendarAnswer = {
      replyId: 'rep_1',
      requestId: 'an earlier one',
      ...event,
      coming: true,
      attendee: 'rosa@example.org',
      to: request.organizer,
      name: 'Luis Martin',
      sentAt: new Date(),
      delivery: DeliveryState.FAILED,
    }
    world.inbox.calendar = { requests: [request], answers: [answer] }
  }

export const appointmentScenes: readonly Scene[] = [
  { name: 'calendar', signedIn: true, arrange: full, path: '/appointments' },
  { name: 'calendar-empty', signedIn: true, path: '/appointments' },
  { name: 'calendar-viewer', signedIn: true, arrange: asViewer, path: '/appointments' },
  { name: 'appointment', signedIn: true, arrange: full, path: '/appointments/apt_2' },
  { name: 'appointment-not-verified', signedIn: true, arrange: full, path: '/appointments/apt_4' },
  { name: 'appointment-canceled', signedIn: true, arrange: full, path: '/appointments/apt_3' },
  { name: 'appointment-new', signedIn: true, arrange: full, path: '/appointments/new?at=2026-12-14T10:20' },
  {
    name: 'appointment-new-error',
    signedIn: true,
    arrange: full,
    path: '/appointments/new',
    act: (page) => submit(page, 'Add appointment'),
  },
  { name: 'appointment-change', signedIn: true, arrange: full, path: '/appointments/apt_5/change' },
  { name: 'calendar-addresses', signedIn: true, arrange: full, path: '/appointments/feeds' },
  {
    name: 'calendar-address-created',
    signedIn: true,
    arrange: full,
    path: '/appointments/feeds',
    act: (page) => submit(page, 'Create address'),
  },
  { name: 'message-invitation-to-answer', signedIn: true, path: INVITATION_PATH, arrange: asked() },
  { name: 'answer-invitation', signedIn: true, path: ANSWER, arrange: asked() },
  {
    name: 'answer-invitation-error',
    signedIn: true,
    path: ANSWER,
    arrange: asked({ attendee: '' }),
    act: (page) => submit(page, 'Send answer'),
  },
]
