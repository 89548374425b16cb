import {
  AppointmentSource,
  type AppointmentTime,
  type Appointment as WireAppointment,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { toLocalTime } from '@family-inbox/workspace-kit/calendar-changes'
import type { Appointment, Occurrence, Proof, TimeKind } from '../models/appointment.ts'

const SOURCES: Record<Proof, AppointmentSource> = {
  unverified: AppointmentSource.UNSPECIFIED,
  verified: AppointmentSource.VERIFIED,
  forwarded: AppointmentSource.FORWARDED,
  member: AppointmentSource.MEMBER,
}

/** An appointment without its other occurrences. */
export type Entry = Omit<Appointment, 'components' | 'occurrences'> & { occurrence: Occurrence }

export const ENTRY_FIELDS = {
  workspaceId: 1,
  lovedOneId: 1,
  uidHash: 1,
  proof: 1,
  senderName: 1,
  senderAddress: 1,
  messageIds: 1,
  going: 1,
  addedBy: 1,
  createdAt: 1,
  version: 1,
} as const

export function toWireAppointment(row: Entry): WireAppointment {
  const { key, kind, title, place, startsAt, canceled, changedAt, earlierStart } = row.occurrence
  const { tentative = false, link = '', note = '' } = row.occurrence
  return {
    id: row._id,
    occurrence: key,
    lovedOneId: row.lovedOneId,
    title,
    place,
    start: toTime(startsAt, kind),
    end: endOf(row.occurrence),
    source: SOURCES[row.proof],
    senderName: row.senderName,
    senderAddress: row.senderAddress,
    messageId: row.messageIds[0] ?? '',
    canceled,
    changedAt,
    earlierStart: earlierStart && toTime(earlierStart, kind),
    going: row.going.filter((member) => member.key === key).map(({ personId }) => personId),
    addedBy: row.addedBy ?? '',
    version: row.version,
    uidHash: row.uidHash,
    tentative,
    link,
    note,
  }
}

function toTime(at: Date, kind: TimeKind): AppointmentTime {
  if (kind === 'moment') return { at, local: '' }
  return { at: undefined, local: toLocalTime(at, kind) }
}

/** The last of whole days is one before the end. */
function endOf({ startsAt, endsAt, kind }: Occurrence): AppointmentTime | undefined {
  const last = kind === 'day' ? new Date(endsAt.getTime() - DAY_MS) : endsAt
  return last > startsAt ? toTime(last, kind) : undefined
}
