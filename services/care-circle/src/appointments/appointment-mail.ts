import type { AppointmentMail } from '../models/member.ts'

/** Whoever says "I'll go" expects a reminder; the rest is for those who ask. */
const DEFAULTS = { changes: false, dayBefore: true, hoursBefore: false, timeZone: 'UTC' }

export function appointmentMailOf(chosen: AppointmentMail | undefined): Required<AppointmentMail> {
  return { ...DEFAULTS, ...chosen }
}
