import type { AppointmentTime } from '@family-inbox/proto/carecircle/v1/care_circle'
import { toWallTime } from '@family-inbox/service-kit/text/time-zone'
import type { ReaderClock } from '../shell/reader-clock.ts'

/** The day and the time of day, as forms have them; no time for whole days. */
export function wallTimeOf(time: AppointmentTime | undefined, { timeZone }: ReaderClock): [day: string, time: string] {
  const { at, local = '' } = time ?? {}
  const shown = at === undefined ? local : new Date(toWallTime(at, timeZone)).toISOString()
  return [shown.slice(0, 10), shown.slice(11, 16)]
}
