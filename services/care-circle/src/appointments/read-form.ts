import type { AppointmentTime } from '@family-inbox/proto/carecircle/v1/care_circle'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine, requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import type { Component, TimeKind } from '../models/appointment.ts'

const MAX_MINUTES = 7 * 24 * 60
const DAY = /^\d{4}-\d{2}-\d{2}$/
const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/

export type AppointmentForm = {
  title: string
  place: string
  start?: AppointmentTime | undefined
  durationMinutes: number
}

/** @throws StatusError INVALID_ARGUMENT naming the field */
export function readAppointmentForm({ title, place, start, durationMinutes }: AppointmentForm): Component {
  const line = requireLine('title', title, 200)
  const where = optionalLine('place', place, 300)
  const [kind, at] = readStart(start)
  if (durationMinutes < 0 || durationMinutes > MAX_MINUTES)
    throw invalidArgument('durationMinutes', `durationMinutes must be at most ${MAX_MINUTES}.`)
  const durationSec = kind === 'day' ? DAY_SEC : durationMinutes * 60
  const said = { title: line, place: where, kind, starts: [at], durationSec }
  return { ...said, sequence: 0, stampedAt: new Date(), canceled: false, recurring: false }
}

function readStart(start: AppointmentTime | undefined): [TimeKind, Date] {
  const { at, local = '' } = start ?? {}
  const [kind, moment] = at
    ? (['moment', at] as const)
    : DAY.test(local)
      ? (['day', new Date(`${local}T00:00:00Z`)] as const)
      : (['local', new Date(LOCAL.test(local) ? `${local}:00Z` : Number.NaN)] as const)
  const year = moment.getUTCFullYear()
  if (year >= 1970 && year < 9000) return [kind, moment]
  throw invalidArgument(
    'start',
    'start must be a time, a day such as 2026-05-12, or a local time such as 2026-05-12T10:20.',
  )
}
