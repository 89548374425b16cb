import {
  type Appointment,
  AppointmentSource,
  type CareCircleServiceService,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Handlers } from '@family-inbox/service-kit/rpc/serve'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { World } from '../_world.ts'

const HOUR_MS = 3_600_000

/** An appointment at a whole hour from now. */
export function appointment(id: string, hours: number, words: Partial<Appointment> = {}): Appointment {
  const at = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS + hours * HOUR_MS)
  return {
    id,
    occurrence: '',
    lovedOneId: 'lo_rosa',
    title: 'Cardiology follow-up with Dr. Weber',
    place: 'Main Street 5, 1200-109 Lisbon',
    start: { at, local: '' },
    end: { at: new Date(at.getTime() + HOUR_MS / 2), local: '' },
    source: AppointmentSource.VERIFIED,
    senderName: 'St. Mary’s Clinic',
    senderAddress: 'desk@clinic.example',
    messageId: 'msg_1',
    canceled: false,
    changedAt: undefined,
    earlierStart: undefined,
    going: [],
    addedBy: '',
    version: 1,
    uidHash: '',
    tentative: false,
    link: '',
    note: '',
    ...words,
  }
}

export function appointmentHandlers(world: World): Partial<Handlers<typeof CareCircleServiceService>> {
  return {
    async listAppointments(_request, call) {
      requirePrincipal(call)
      return { appointments: world.appointments, nextPageToken: '' }
    },
    async getAppointment({ appointmentId }, call) {
      requirePrincipal(call)
      const found = world.appointments.find(({ id }) => id === appointmentId)
      if (found === undefined) throw new StatusError('NOT_FOUND', 'There is no such appointment.')
      return { appointment: found }
    },
    async listMessageAppointments({ messageId }, call) {
      requirePrincipal(call)
      return { appointments: world.appointments.filter((one) => one.messageId === messageId), notTaken: 0 }
    },
    async getAppointmentMail(_request, call) {
      requirePrincipal(call)
      return { mail: world.appointmentMail }
    },
    async setAppointmentMail({ mail }, call) {
      requirePrincipal(call)
      world.appointmentMail = mail
      return {}
    },
    async listCalendarFeeds(_request, call) {
      requirePrincipal(call)
      return { feeds: world.calendarFeeds }
    },
    async createCalendarFeed({ lovedOneId, withDetails }, call) {
      requirePrincipal(call)
      const feed = { id: 'feed_1', lovedOneId, withDetails, createdAt: new Date(), readAt: undefined }
      return { feed, token: '7k'.repeat(16) }
    },
  }
}
